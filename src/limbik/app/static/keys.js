/** Keyboard shortcuts, except while a text or number is typed. */

const TYPED = ['text', 'number', 'search', 'email', 'url', 'tel', 'password'];

/** @param {EventTarget|null} target @param {string} key @returns {boolean} whether the key belongs to a field */
function isField(target, key) {
  if (target instanceof HTMLInputElement) return TYPED.includes(target.type) || (target.type === 'range' && key === 'Home');
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
    || (target instanceof HTMLElement && target.isContentEditable);
}

/**
 * @param {Record<string, () => void>} actions  by key
 * @param {() => boolean} isCovered  while true only "?" works (help is open)
 */
export function listen(actions, isCovered) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isField(event.target, event.key)) return;
    if (isCovered() && event.key !== '?') return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!Object.hasOwn(actions, key)) return;
    event.preventDefault();
    actions[key]();
  });
}
