/** Entry point: opens the view that the address asks for, the plane, space (`view=3d`) or motions (`view=motion`). */

const MODULES = { '3d': './space/main.js', motion: './motion/main.js' };
const view = new URLSearchParams(location.search).get('view') ?? '';

window.limbikReady = false;
await import(MODULES[/** @type {keyof typeof MODULES} */ (view)] ?? './plane/main.js');
