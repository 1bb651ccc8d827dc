/** Suggests the known word nearest to a misspelt one. */

const MAX = 3;

/**
 * The names nearest to a word, nearest first; those that have little in common with it are none of them.
 * @template T @param {string} word @param {T[]} items @param {(item: T) => string[]} namesOf  of an item @returns {T[]}
 */
export function didYouMean(word, items, namesOf) {
  const wanted = word.toLowerCase();
  const far = items.map((item) => ({ item, edits: Math.min(...namesOf(item).map((name) => edits(wanted, name.toLowerCase()))) }));
  const near = far.filter(({ edits: count }) => count <= Math.max(1, Math.floor(wanted.length / 3)));
  return near.sort((a, b) => a.edits - b.edits).slice(0, MAX).map(({ item }) => item);
}

/** The fewest letters to add, remove, replace or swap with their neighbour between two words. @param {string} a @param {string} b */
function edits(a, b) {
  /** @type {number[][]} */
  const table = [];
  for (let i = 0; i <= a.length; i += 1) {
    table.push([i]);
    for (let j = 1; j <= b.length; j += 1) table[i].push(i === 0 ? j : fewest(table, a, b, i, j));
  }
  return table[a.length][b.length];
}

/** One entry of the table of `edits`. @param {number[][]} table @param {string} a @param {string} b @param {number} i @param {number} j */
function fewest(table, a, b, i, j) {
  const replaced = table[i - 1][j - 1] + Number(a[i - 1] !== b[j - 1]);
  const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  const swapped = isSwapped ? table[i - 2][j - 2] + 1 : Infinity;
  return Math.min(replaced, swapped, table[i - 1][j] + 1, table[i][j - 1] + 1);
}
