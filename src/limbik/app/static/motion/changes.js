/**
 * The edits of a motion (clean, stand, drag) as text: read from and written to the URL, in words, in Python.
 *
 * @typedef {{kind: 'clean', method: string, cutoff_hz: number}} Clean
 * @typedef {{kind: 'stand', ground: 'level'|'slope'|'stairs'|'hills', slope: number, rise: number}} Stand  slope [degrees], rise [m]
 * @typedef {{kind: 'drag', link: string, frame: number, place: number[], falloff: number}} Drag  place [m], falloff [s]
 * @typedef {Clean|Stand|Drag} Change
 */

const MAX = 100; // that the server takes

/** Changes in the URL: "clean:butterworth:6;stand:slope:12:0.12;drag:LeftHand:40:0.3,0.2,1.4:0.3". */
export const CHANGES = {
  kind: 'own',
  fallback: [],
  read: (/** @type {string} */ name, /** @type {string} */ text) => {
    const entries = text.split(';').filter(Boolean);
    const changes = entries.map(readChange);
    const bad = entries.filter((_, i) => changes[i] === null);
    const note = bad.length ? `${name}: ${bad.map((entry) => entry.slice(0, 60)).join(' and ')} is no change of a motion` : null;
    return { value: changes.filter((change) => change !== null).slice(0, MAX), note };
  },
  write: (/** @type {Change[]} */ changes) => changes.map(writeChange).join(';'),
};

/** @param {string} entry @returns {Change|null} */
function readChange(entry) {
  const [kind, ...words] = entry.split(':');
  if (kind === 'clean' && words.length === 2) {
    const [method, cutoff] = words;
    return areNumbers(cutoff) ? { kind, method, cutoff_hz: Number(cutoff) } : null;
  }
  if (kind === 'stand' && words.length === 3) {
    const [ground, slope, rise] = words;
    const isKnown = ['level', 'slope', 'stairs', 'hills'].includes(ground);
    return isKnown && areNumbers(slope, rise) ? { kind, ground: /** @type {Stand['ground']} */ (ground), slope: Number(slope), rise: Number(rise) } : null;
  }
  if (kind !== 'drag' || words.length !== 4) return null;
  const [link, frame, place, falloff] = words;
  const numbers = place.split(',');
  if (!areNumbers(frame, falloff, ...numbers) || numbers.length !== 3) return null;
  return { kind, link: decoded(link), frame: Number(frame), place: numbers.map(Number), falloff: Number(falloff) };
}

/** @param {Change} change */
function writeChange(change) {
  if (change.kind === 'clean') return `clean:${change.method}:${change.cutoff_hz}`;
  if (change.kind === 'stand') return `stand:${change.ground}:${change.slope}:${change.rise}`;
  const { link, frame, place, falloff } = change;
  return `drag:${encodeURIComponent(link)}:${frame}:${place.join(',')}:${falloff}`;
}

/** @param {string[]} words */
function areNumbers(...words) {
  return words.every((word) => word.trim() !== '' && Number.isFinite(Number(word)));
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Changes and a drag, which replaces the last one of the same link in the same frame. @param {Change[]} changes @param {Drag} drag */
export function withDrag(changes, drag) {
  const last = changes.at(-1);
  const isSame = last?.kind === 'drag' && last.link === drag.link && last.frame === drag.frame && last.falloff === drag.falloff;
  return [...(isSame ? changes.slice(0, -1) : changes), drag];
}

/** A change in words. @param {Change} change @param {number} dt  of a frame [s]; 0: not known yet @returns {string} */
export function inWords(change, dt) {
  if (change.kind === 'clean') return `Jitter above ${change.cutoff_hz} Hz taken out`;
  if (change.kind === 'drag') return `${change.link} moved ${dt ? `at ${(change.frame * dt).toFixed(2)} s` : `in frame ${change.frame}`}`;
  if (change.ground === 'level') return 'Feet on level ground';
  if (change.ground === 'slope') return `Feet on a slope of ${change.slope}°`;
  return change.ground === 'stairs' ? `Feet on stairs, ${centimetres(change.rise)} each` : `Feet on hills of ${centimetres(change.rise)}`;
}

/** @param {number} metres */
function centimetres(metres) {
  return `${Math.round(100 * metres)} cm`;
}

/** A change as a line of Python. @param {Change} change @param {string} up  of the file @param {Change[]} before @returns {string} */
export function inPython(change, up, before) {
  if (change.kind === 'clean') return `motion = limbik.motion.smooth(motion, "${change.method}", cutoff_hz=${change.cutoff_hz})`;
  if (change.kind === 'drag') {
    const place = ownAxes(change.place, up).map((value) => value.toFixed(3)).join(', ');
    const frames = before.flatMap((each) => (each.kind === 'drag' && each.link === change.link && each.frame !== change.frame ? each.frame : []));
    const keep = frames.length ? `, keep=[${frames.join(', ')}]` : '';
    return `motion = limbik.motion.drag(motion, ${JSON.stringify(change.link)}, ${change.frame}, [${place}], falloff=${change.falloff}${keep})`;
  }
  if (change.ground === 'level') return 'motion = limbik.motion.plant_feet(motion)';
  return `motion = limbik.motion.plant_feet(motion, ground=limbik.motion.Ground.mesh("${change.ground}.obj"))`;
}

/** A position of the page, z up, in the axes of the file. @param {number[]} position @param {string} up */
function ownAxes([x, y, z], up) {
  if (up === 'y') return [y, z, x];
  return up === 'x' ? [z, x, y] : [x, y, z];
}
