/** Puts the parts of the page of motions where those of the 2-D page stand. */

const WORDS = {
  view: 'Motion view. Drag a ball to move a hand, a foot or the hips in this frame; drag elsewhere to turn the view; Space plays and pauses.',
};
const OF_SOLVERS = ['drag-hint', 'plane-tools', 'metrics', 'step'];

/** @returns {Promise<void>} */
export async function insertParts() {
  const answer = await fetch(new URL('parts.html', import.meta.url));
  if (!answer.ok) throw new Error('The parts of the page are missing.');
  const parts = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const content = (/** @type {string} */ name) => /** @type {HTMLTemplateElement} */ (parts.getElementById(`part-${name}`)).content;
  for (const id of OF_SOLVERS) document.getElementById(id)?.remove();
  document.querySelector('.solvers')?.replaceChildren(content('title'));
  document.getElementById('panel')?.replaceChildren(content('panel'));
  document.getElementById('dock')?.replaceChildren(content('dock'));
  document.getElementById('dock')?.setAttribute('aria-label', 'Timeline');
  document.querySelector('.help-columns')?.replaceChildren(content('help'));
  document.querySelector('.tabs')?.before(content('overlay'));
  const tab = document.getElementById('tab-convergence');
  tab?.replaceChildren(...(tab.querySelector('svg') ? [/** @type {Element} */ (tab.querySelector('svg'))] : []), 'Timeline');
  document.getElementById('view')?.setAttribute('aria-label', WORDS.view);
  document.querySelector('.brand')?.setAttribute('href', '?view=motion');
  document.title = 'limbik playground of motions';
}
