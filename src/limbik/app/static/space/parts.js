/** Puts the parts of the 3-D page where those of the 2-D page stand. */

const WORDS = {
  view: 'Scene view. Drag to turn it; a click places the selected goal; arrow keys turn the view, Shift with arrow keys shifts it.',
};

/** @returns {Promise<void>} */
export async function insertParts() {
  const answer = await fetch(new URL('parts.html', import.meta.url));
  if (!answer.ok) throw new Error('The parts of the page are missing.');
  const parts = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const content = (/** @type {string} */ name) => /** @type {HTMLTemplateElement} */ (parts.getElementById(`part-${name}`)).content;
  document.getElementById('panel')?.replaceChildren(content('panel'));
  document.querySelector('.help-columns')?.replaceChildren(content('help'));
  document.querySelector('.tabs')?.before(content('overlay'));
  document.body.append(content('dialogs'));
  document.getElementById('drag-hint')?.remove();
  document.getElementById('plane-tools')?.remove();
  document.getElementById('view')?.setAttribute('aria-label', WORDS.view);
  document.querySelector('.brand')?.setAttribute('href', '?view=3d');
  for (const unit of document.querySelectorAll('[data-unit]')) unit.textContent = /** @type {HTMLElement} */ (unit).dataset.unit ?? '';
  document.title = 'limbik playground in space';
}
