/** Light and dark: the system's, or the chosen one, remembered here and named in the URL. */

const NEXT = { auto: 'light', light: 'dark', dark: 'auto' };
const WORDS = { auto: 'automatic', light: 'light', dark: 'dark' };
const STORED = 'limbik-theme';

export class Theme {
  /** @param {import('./store.js').Store} store @param {() => void} onChange */
  constructor(store, onChange) {
    this.store = store;
    this.onChange = onChange;
    this.dark = window.matchMedia('(prefers-color-scheme: dark)');
    /** @type {Map<string, string>} */
    this.colours = new Map();
    store.suit({ theme: remembered() });
    this.dark.addEventListener('change', () => this.apply());
    store.watch(['theme'], () => this.apply());
    const button = /** @type {HTMLButtonElement} */ (document.getElementById('theme'));
    button.addEventListener('click', () => this.next());
  }

  next() {
    const theme = NEXT[/** @type {keyof typeof NEXT} */ (this.store.get('theme'))];
    this.store.set({ theme });
    try {
      localStorage.setItem(STORED, theme);
    } catch {
      // Storage may be forbidden: the address bar still names the theme.
    }
  }

  apply() {
    const chosen = /** @type {keyof typeof WORDS} */ (this.store.get('theme'));
    const isDark = chosen === 'dark' || (chosen === 'auto' && this.dark.matches);
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
    const button = /** @type {HTMLButtonElement} */ (document.getElementById('theme'));
    button.title = `Theme: ${WORDS[chosen]}`;
    button.setAttribute('aria-label', button.title);
    this.colours.clear();
    this.onChange();
  }

  /** A colour of tokens.css by the name of its variable. @param {string} name @returns {string} */
  colour(name) {
    let value = this.colours.get(name);
    if (value === undefined) {
      value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
      this.colours.set(name, value);
    }
    return value;
  }
}

/** @returns {string} */
function remembered() {
  try {
    const theme = localStorage.getItem(STORED) ?? 'auto';
    return theme in NEXT ? theme : 'auto';
  } catch {
    return 'auto';
  }
}
