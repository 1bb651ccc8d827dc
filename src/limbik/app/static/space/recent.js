/** The robots that this browser opened last. */

const STORED = 'limbik-robots';
const MAX = 6;

/** @returns {string[]} names, the last one first; none where storage is forbidden or holds something else */
export function recentRobots() {
  try {
    const names = JSON.parse(localStorage.getItem(STORED) ?? '[]');
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string').slice(0, MAX) : [];
  } catch {
    return [];
  }
}

/** @param {string} name */
export function rememberRobot(name) {
  const names = [name, ...recentRobots().filter((other) => other !== name)].slice(0, MAX);
  try {
    localStorage.setItem(STORED, JSON.stringify(names));
  } catch {
    // Storage may be forbidden: the gallery then begins with the arms.
  }
}
