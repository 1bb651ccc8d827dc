/** Names of exported files. */

const ENDINGS = /\.(arm|urdf|xacro|xml|mjcf|csv|json|ya?ml|txt|zip)$/;

/**
 * Small letters, digits, dots and single hyphens, without the ending of the file that was opened.
 * @param {string} name  of a scene @returns {string}
 */
export function stemOf(name) {
  const words = name.toLowerCase().replace(ENDINGS, '').split(/[^\p{L}\p{N}_.]+/u);
  return words.join('-').replace(/^[-.]+|[-.]+$/g, '') || 'scene';
}
