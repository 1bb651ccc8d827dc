/** The free rectangle of the canvas: what bars, panels and cards do not cover. */

const SMALL = 0.15; // of a region's height

/** @typedef {{left: number, top: number, right: number, bottom: number}} Region [px] */

/** @returns {Region}  as it is now; the style sheet hears how high the dock is */
export function openRegion() {
  const bar = box('bar');
  const dock = box('dock');
  const panel = box('panel');
  const tabs = document.querySelector('.tabs')?.getBoundingClientRect() ?? new DOMRect();
  const sheet = tabs.height > 0;
  const region = { left: 0, top: bar.bottom, right: innerWidth, bottom: innerHeight - tabs.height };
  const readout = box('metrics');
  if (sheet && readout.height) region.top = readout.bottom;
  if (dock.height) region.bottom = Math.min(region.bottom, dock.top);
  if (panel.height && sheet) region.bottom = Math.min(region.bottom, panel.top);
  if (panel.height && !sheet) region.right = panel.left;
  const lift = innerHeight - tabs.height - region.bottom;
  document.documentElement.style.setProperty('--dock-height', `${Math.round(lift)}px`);
  return region;
}

/** What buttons on the picture leave of a region, in a column on its right or a row at its foot. @param {Region} region @param {string} id @returns {Region} */
export function besideTools(region, id) {
  const tools = box(id);
  if (!tools.width) return region;
  const isRow = tools.width > tools.height;
  return isRow ? { ...region, bottom: Math.min(region.bottom, tools.top) } : { ...region, right: Math.min(region.right, tools.left) };
}

/** What the table of a race leaves of a region. @param {Region} region @returns {Region} */
export function besideRace(region) {
  return beside(box('race'), region);
}

/** The same, or what the metrics leave where they take much of its height. @param {Region} region @returns {Region} */
export function besideCards(region) {
  const metrics = box('metrics');
  const isSmall = metrics.height < SMALL * (region.bottom - region.top);
  return box('race').height || isSmall ? besideRace(region) : beside(metrics, region);
}

/** What a card leaves of a region: beside it or below, whichever is wider. @param {DOMRect} card @param {Region} region @returns {Region} */
function beside(card, region) {
  if (!card.height || card.bottom <= region.top) return region;
  const choices = [{ ...region, left: card.right }, { ...region, top: Math.max(region.top, card.bottom) }];
  const [side, below] = choices.map(({ left, top, right, bottom }) => Math.min(right - left, bottom - top));
  return choices[side > below ? 0 : 1];
}

/** @param {string} id @returns {DOMRect} empty where the element is not shown */
function box(id) {
  const element = document.getElementById(id);
  if (!element || getComputedStyle(element).visibility === 'hidden') return new DOMRect();
  return element.getBoundingClientRect();
}
