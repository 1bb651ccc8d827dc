/** Playback of a motion: play, loop, step, speed. */

export class Player {
  /** @param {import('../store.js').Store} store @param {() => void} onTime */
  constructor(store, onTime) {
    Object.assign(this, { store, onTime });
    this.time = store.get('t'); // [s]
    this.frames = 1;
    this.dt = 1 / 30;
  }

  /** @param {number} frames @param {number} dt [s] */
  setLength(frames, dt) {
    Object.assign(this, { frames, dt });
    this.time = Math.min(this.time, this.duration);
    this.onTime();
  }

  get duration() {
    return (this.frames - 1) * this.dt;
  }

  /** The frame that is shown, the nearest to the time. */
  get frame() {
    return Math.min(this.frames - 1, Math.round(this.time / this.dt));
  }

  get isPlaying() {
    return !this.store.get('px') && this.frames > 1;
  }

  toggle() {
    if (this.store.get('px') && this.time >= this.duration) this.time = 0;
    this.store.set({ px: !this.store.get('px') });
  }

  pause() {
    this.store.set({ px: true });
  }

  /** @param {number} time [s] */
  seek(time) {
    this.time = Math.min(Math.max(time, 0), this.duration);
    this.onTime();
  }

  /** @param {number} frames  forth or back */
  step(frames) {
    this.pause();
    this.seek((this.frame + frames) * this.dt);
  }

  /** Once per display frame. @param {number} seconds  since the last one */
  tick(seconds) {
    if (!this.isPlaying || this.duration === 0) return;
    const time = this.time + seconds * this.store.get('sp');
    if (time <= this.duration) this.seek(time);
    else if (this.store.get('loop')) this.seek(time % this.duration);
    else {
      this.seek(this.duration);
      this.pause();
    }
  }
}
