/** Opens the view that the address asks for: the plane, or space with `view=3d`. */

const isSpace = new URLSearchParams(location.search).get('view') === '3d';

window.limbikReady = false;
await import(isSpace ? './space/main.js' : './plane/main.js');
