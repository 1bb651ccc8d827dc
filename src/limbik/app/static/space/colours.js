/** Colours of the 3-D page: of the theme, of arms and of segments. */

import { Color } from 'three';

export const AXES = { x: '#e5484d', y: '#30a46c', z: '#3e7bfa' };

const FIRST = 255; // [degrees] hue of the first arm
const APART = 137.5; // [degrees] the golden angle: however many arms there are, their hues keep apart

/** A colour of tokens.css by the name of its variable. @param {string} name @returns {string} */
export function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || '#888888';
}

/** The hue of an arm, by its index in the scene. @param {number} arm @returns {number} [degrees] */
export function armHue(arm) {
  return FIRST + APART * arm;
}

/**
 * The colour of an arm, for its segments one after the other: its hue wanders and its lightness alternates.
 * @param {number} hue @param {number} [segment] @returns {Color}
 */
export function segmentColour(hue, segment = 0) {
  return oklch(0.7 - 0.07 * (segment % 2), 0.15, hue + 13 * segment);
}

/** Ottosson's perceptual colour space. @param {number} lightness @param {number} chroma @param {number} hue [degrees] @returns {Color} */
function oklch(lightness, chroma, hue) {
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const within = (/** @type {number} */ value) => Math.min(1, Math.max(0, value));
  return new Color(
    within(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    within(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    within(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  );
}
