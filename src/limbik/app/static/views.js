/** The switch between plane, space and motions. Each view's state is stored for this tab while another one is open. */

const STORED = 'limbik-view-';

/** @typedef {'plane'|'space'|'motion'} View */

/** @type {View[]} */
const VIEWS = ['plane', 'space', 'motion'];

export class Views {
  /** @param {View} own @param {() => string} query  the query string that opens the present state */
  constructor(own, query) {
    link(own).setAttribute('aria-current', 'page');
    for (const other of VIEWS.filter((view) => view !== own)) {
      const stored = read(other);
      if (stored !== null) link(other).href = location.pathname + stored;
    }
    window.addEventListener('pagehide', () => keep(own, query()));
  }
}

/** @param {View} view */
function link(view) {
  return /** @type {HTMLAnchorElement} */ (document.getElementById(`to-${view}`));
}

/** @param {View} view @returns {string|null} */
function read(view) {
  try {
    return sessionStorage.getItem(STORED + view);
  } catch {
    return null; // storage may be forbidden: the other view opens afresh then
  }
}

/** @param {View} view @param {string} query */
function keep(view, query) {
  try {
    sessionStorage.setItem(STORED + view, query);
  } catch {
    // Storage may be forbidden or full.
  }
}
