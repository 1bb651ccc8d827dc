/** A card of the robot gallery: picture, name, what is missing. */

/** A sign for each kind of robot, where there is no picture of one: paths in a box of 24. */
const GLYPHS = {
  arm: 'M5 21h8M9 21v-5l-3-6 8-5 4 5M9 16a1.5 1.5 0 1 0 0-.1M6 10a1.5 1.5 0 1 0 0-.1M16.5 12l1.5-2 2 1',
  mobile: 'M4 16h14v3H4zM7 21a1 1 0 1 0 0-.1M15 21a1 1 0 1 0 0-.1M9 16V9l7-3 3 3',
  humanoid: 'M12 5.5a2 2 0 1 0 0-.1M9 9h6v6H9zM9 9l-4 5M15 9l4 5M10 15l-1 6M14 15l1 6',
  quadruped: 'M5 9h13v4H5zM18 9l3-3M6 13l-1.5 4 1.5 4M17 13l-1.5 4 1.5 4M10 13l-1 3 1 3M13 13l-1 3 1 3',
  hand: 'M8 21v-5l-3-4M8 16V5M11 15V3M14 15V4M17 16V7M17 16l-2 5',
};

/**
 * @param {import('./protocol.js').Robot} robot @param {boolean} canAdd  whether one more can stand beside what is open
 * @returns {HTMLLIElement}
 */
export function robotCard({ name, title, kind, picture, source, installed, advice }, canAdd) {
  const card = document.createElement('li');
  card.className = 'robot-card';
  const open = document.createElement('button');
  open.type = 'button';
  open.className = 'robot';
  open.dataset.robot = name;
  open.tabIndex = -1;
  open.setAttribute('aria-disabled', String(!installed));
  const note = installed ? source : `Not installed: ${advice}`;
  open.title = `${title} (${name})${installed ? '' : `\n${note}`}`;
  open.append(picture ? image(picture) : glyph(kind), text('b', title), text('small', note));
  card.append(open);
  if (installed) card.append(beside(name, title, canAdd));
  return card;
}

/** @param {string} name @param {string} title @param {boolean} canAdd */
function beside(name, title, canAdd) {
  const add = document.createElement('button');
  add.type = 'button';
  add.className = 'button square small';
  add.dataset.beside = name;
  add.textContent = '+';
  add.title = 'Beside what is open';
  add.setAttribute('aria-label', `Open ${title} beside what is open`);
  add.disabled = !canAdd;
  add.tabIndex = -1;
  return add;
}

/** @param {string} address */
function image(address) {
  return Object.assign(document.createElement('img'), { src: address, alt: '', width: 96, height: 96, loading: 'lazy', decoding: 'async' });
}

/** @param {keyof typeof GLYPHS} kind */
function glyph(kind) {
  const box = document.createElement('span');
  box.className = 'robot-glyph';
  box.innerHTML = `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${GLYPHS[kind]}"/></svg>`;
  return box;
}

/** @param {string} tag @param {string} content */
function text(tag, content) {
  return Object.assign(document.createElement(tag), { textContent: content });
}
