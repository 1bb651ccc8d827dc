/** Short messages in a corner of the page, announced to screen readers, which close by themselves. */

const STAYS = 9000; // [ms]
const MAX = 5;

export class Notices {
  constructor() {
    this.list = /** @type {HTMLElement} */ (document.getElementById('notices'));
  }

  /**
   * @param {string} text
   * @param {{details?: string[], isError?: boolean, link?: {text: string, href: string}|null}} [more]
   */
  show(text, { details = [], isError = false, link = null } = {}) {
    const key = [text, ...details].join('\n');
    const same = /** @type {HTMLElement[]} */ ([...this.list.children]).find((old) => old.dataset.key === key);
    const times = 1 + Number(same?.dataset.times ?? 0);
    same?.remove();
    const notice = document.createElement('div');
    notice.className = isError ? 'notice is-error' : 'notice';
    Object.assign(notice.dataset, { key, times });
    const body = document.createElement('div');
    body.textContent = times > 1 ? `${text} (${times})` : text;
    if (details.length) body.append(bullets(details));
    if (link) body.append(' ', Object.assign(document.createElement('a'), { textContent: link.text, href: link.href }));
    notice.append(body, closeButton(() => notice.remove()));
    this.list.append(notice);
    while (this.list.children.length > MAX) this.list.firstElementChild?.remove();
    window.setTimeout(() => notice.remove(), STAYS + 2000 * details.length);
  }
}

/** @param {string[]} lines */
function bullets(lines) {
  const list = document.createElement('ul');
  for (const line of lines) list.append(Object.assign(document.createElement('li'), { textContent: line }));
  return list;
}

/** @param {() => void} close */
function closeButton(close) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'sign';
  button.setAttribute('aria-label', 'Dismiss');
  button.innerHTML = '<svg class="icon"><use href="#i-close"/></svg>';
  button.addEventListener('click', close);
  return button;
}
