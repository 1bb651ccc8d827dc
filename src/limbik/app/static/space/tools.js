/** The buttons over the 3-D canvas: mode of the gizmo, and views of the camera. */

export class Tools {
  /**
   * @param {object} parts
   * @param {import('../store.js').Store} parts.store
   * @param {import('./stage.js').Stage} parts.stage
   * @param {import('./goals.js').Goals} parts.goals
   * @param {import('../notice.js').Notices} parts.notices
   */
  constructor({ store, stage, goals, notices }) {
    Object.assign(this, { store, stage, goals, notices });
    this.buttons = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-tool]')]);
    for (const button of this.buttons) button.addEventListener('click', () => this.use(/** @type {string} */ (button.dataset.tool)));
    store.watch(['gizmo', 'axes'], () => this.show());
  }

  /** @param {string} tool */
  use(tool) {
    const { store, stage } = this;
    if (tool === 'rotate' && this.goals.list[this.goals.selected]?.kind === 'position') {
      this.notices.show('This goal is a point, which has nothing to turn: make it a pose or a direction first.');
    }
    if (tool === 'move' || tool === 'rotate') store.set({ gizmo: tool });
    else if (tool === 'local') store.set({ axes: store.get('axes') === 'local' ? 'world' : 'local' });
    else if (tool === 'home') stage.home();
    else if (tool === 'fit') stage.fit();
    else this.project();
  }

  get isParallel() {
    return this.stage.camera.projection === 'orthographic';
  }

  /** Perspective on and off. */
  project() {
    this.stage.setProjection(this.isParallel ? 'perspective' : 'orthographic');
    this.show();
  }

  show() {
    const pressed = {
      move: this.store.get('gizmo') === 'move',
      rotate: this.store.get('gizmo') === 'rotate',
      local: this.store.get('axes') === 'local',
      parallel: this.isParallel,
    };
    for (const button of this.buttons) {
      const isPressed = pressed[/** @type {keyof typeof pressed} */ (button.dataset.tool)];
      if (isPressed !== undefined) button.setAttribute('aria-pressed', String(isPressed));
    }
  }
}
