/**
 * Before the first paint: sets the theme, the view, and which panels are open, so that nothing changes colour or moves
 * later. A classic script in the head.
 */
(function () {
  'use strict';
  var root = document.documentElement;
  var query = new URLSearchParams(location.search);
  var theme = query.get('theme');
  try {
    theme = theme || localStorage.getItem('limbik-theme');
  } catch (error) {
    /* Storage may be forbidden: the system's theme then. */
  }
  if (theme !== 'light' && theme !== 'dark') theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  root.dataset.theme = theme;
  var narrow = matchMedia('(max-width: 759px)').matches;
  var view = query.get('view');
  root.dataset.view = view === '3d' || view === 'motion' ? 'space' : 'plane';
  root.dataset.motion = view === 'motion' ? '1' : '0';
  root.dataset.panel = query.get('pn') || (narrow || innerHeight < 480 ? '0' : '1');
  root.dataset.dock = query.get('cv') || (narrow || innerHeight < 620 ? '0' : '1');
  if (narrow && root.dataset.panel === '1') root.dataset.dock = '0';
})();
