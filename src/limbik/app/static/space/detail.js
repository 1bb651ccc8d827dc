/**
 * Lowers pixels and shadow where drawing takes long, so that dragging stays fluent. Where no graphics card draws, or
 * pictures take long, shadow and pixels go, so that the picture keeps up with the hands. Detail that has gone does not
 * come back: a picture that changes to and fro is worse than a plain one.
 */

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Levels of detail, in descending order: device pixels per pixel of the window, and whether there is a shadow. */
const STEPS = [
  { pixels: 2, hasShadow: true },
  { pixels: 1, hasShadow: true },
  { pixels: 1, hasShadow: false },
  { pixels: 0.75, hasShadow: false },
  { pixels: 0.5, hasShadow: false },
];
const FIRST_IN_SOFTWARE = 2;
const LONG = 50; // [ms] between two pictures: longer is too long
const MEASURED = 12; // times between pictures that followed one another, of which the median counts
const PAUSE = 1000; // [ms] the page was hidden, or busy with something else

export class Detail {
  /** @param {boolean} isSoftware */
  constructor(isSoftware) {
    this.isSoftware = isSoftware;
    this.step = isSoftware ? FIRST_IN_SOFTWARE : 0;
    /** @type {number[]} [ms] */
    this.times = [];
    this.last = NaN;
  }

  /** Of one pixel of the window. @returns {number} device pixels */
  get pixels() {
    return Math.min(this.maxPixels, STEPS[this.step].pixels);
  }

  get maxPixels() {
    return Math.min(window.devicePixelRatio || 1, STEPS[0].pixels);
  }

  get hasShadow() {
    return STEPS[this.step].hasShadow;
  }

  /** What a person is told; empty where nothing is left out. @returns {string} */
  get note() {
    if (this.hasShadow) return '';
    const less = STEPS[this.step].pixels < 1 ? 'no shadow, fewer pixels' : 'no shadow';
    return `${this.isSoftware ? 'Drawn without a graphics card' : 'Drawing takes long here'}: ${less}.`;
  }

  /** A display frame in which nothing was drawn. */
  rested() {
    this.last = NaN;
  }

  /** A picture was drawn. @param {number} now [ms] @returns {boolean} whether there is less detail from now on */
  drew(now) {
    const time = now - this.last;
    this.last = now;
    if (!(time < PAUSE)) return false;
    this.times.push(time);
    if (this.times.length < MEASURED) return false;
    const median = this.times.sort((a, b) => a - b)[MEASURED >> 1];
    this.times = [];
    if (median < LONG || this.step === STEPS.length - 1) return false;
    this.step += 1;
    return true;
  }
}

/** Whether this browser draws 3-D without a graphics card; also where it does not draw it at all. @returns {boolean} */
export function drawsInSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2', { antialias: false });
  if (!gl) return true;
  const names = gl.getExtension('WEBGL_debug_renderer_info');
  const isSoftware = SOFTWARE.test(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return isSoftware;
}
