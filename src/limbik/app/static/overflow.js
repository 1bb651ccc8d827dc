/**
 * Scrolling of a row that does not fit: marks its ends for the style sheet, and handles the wheel.
 */

/** @param {HTMLElement} row */
export function scrollsSideways(row) {
  const mark = () => {
    row.classList.toggle('goes-on-left', row.scrollLeft > 1);
    row.classList.toggle('goes-on-right', row.scrollLeft + row.clientWidth < row.scrollWidth - 1);
  };
  row.addEventListener('scroll', mark, { passive: true });
  row.addEventListener('wheel', ({ deltaX, deltaY }) => row.scrollBy(deltaX + deltaY, 0), { passive: true });
  const observer = new ResizeObserver(() => {
    row.querySelector('[aria-pressed=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    mark();
  });
  for (const part of [row, ...row.children]) observer.observe(part);
}
