/** Draws one planar arm: tapered links, joints, and the arcs of its limits. */

const LIMIT_SLACK = 1e-3; // [rad]

/**
 * @typedef {object} Look
 * @property {string} colour
 * @property {string} joint  fill of the joints
 * @property {string} edge  line around every link
 * @property {string} shadow
 * @property {number} opacity
 */

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Float64Array} joints  x0 y0 x1 y1 ... [2 (links + 1)]
 * @param {number} length  of a link [px]
 * @param {Look} look
 */
export function drawArm(ctx, joints, length, look) {
  const radius = radii(joints.length / 2 - 1, length);
  ctx.save();
  ctx.globalAlpha = look.opacity;
  ctx.lineJoin = 'round';
  ctx.fillStyle = look.shadow;
  ctx.translate(0, 3);
  ctx.beginPath();
  for (let i = 0; i + 3 < joints.length; i += 2) traceLink(ctx, joints, i, radius);
  ctx.fill();
  ctx.translate(0, -3);
  ctx.fillStyle = look.colour;
  ctx.strokeStyle = look.edge;
  ctx.lineWidth = 1.5;
  // From the tip to the base, so that every link lies on the one it carries.
  for (let i = joints.length - 4; i >= 0; i -= 2) {
    ctx.beginPath();
    traceLink(ctx, joints, i, radius);
    ctx.fill();
    ctx.stroke();
  }
  drawJoints(ctx, joints, radius, look);
  ctx.restore();
}

/** @param {number} links @param {number} length @returns {(i: number) => number} half width at joint i [px] */
function radii(links, length) {
  const first = Math.min(11, Math.max(5, 0.15 * length));
  const last = Math.max(3, 0.42 * first);
  return (i) => first + ((last - first) * i) / links;
}

/**
 * The outline of the link from the joint at `i`: wider at its base.
 * @param {CanvasRenderingContext2D} ctx @param {Float64Array} joints @param {number} i  index of the joint's x
 * @param {(i: number) => number} radius
 */
function traceLink(ctx, joints, i, radius) {
  const along = Math.atan2(joints[i + 3] - joints[i + 1], joints[i + 2] - joints[i]);
  const [near, far] = [radius(i / 2), radius(i / 2 + 1)];
  ctx.moveTo(joints[i] - near * Math.sin(along), joints[i + 1] + near * Math.cos(along));
  ctx.arc(joints[i], joints[i + 1], near, along + Math.PI / 2, along + 1.5 * Math.PI);
  ctx.arc(joints[i + 2], joints[i + 3], far, along - Math.PI / 2, along + Math.PI / 2);
  ctx.closePath();
}

/** @param {CanvasRenderingContext2D} ctx @param {Float64Array} joints @param {(i: number) => number} radius @param {Look} look */
function drawJoints(ctx, joints, radius, look) {
  ctx.fillStyle = look.joint;
  ctx.beginPath();
  for (let i = 0; i + 3 < joints.length; i += 2) {
    const r = 0.48 * radius(i / 2);
    ctx.moveTo(joints[i] + r, joints[i + 1]);
    ctx.arc(joints[i], joints[i + 1], r, 0, 2 * Math.PI);
  }
  ctx.fill();
  ctx.strokeStyle = look.colour;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.arc(joints[joints.length - 2], joints[joints.length - 1], radius(joints.length / 2 - 1) + 2, 0, 2 * Math.PI);
  ctx.fill();
  ctx.stroke();
}

/**
 * The range of every joint as a sector around the direction of the link before it; joints at their limit stand out.
 * @param {CanvasRenderingContext2D} ctx
 * @param {Float64Array} joints
 * @param {ArrayLike<number>} q [rad]
 * @param {object} arcs
 * @param {number} arcs.limit [rad]
 * @param {number} arcs.length  of a link [px]
 * @param {string} arcs.colour @param {string} arcs.danger
 * @param {boolean} arcs.isOn  whether the limits are enabled
 */
export function drawLimitArcs(ctx, joints, q, { limit, length, colour, danger, isOn }) {
  const radius = Math.min(40, 0.46 * length);
  let heading = 0;
  for (let k = 0; k < q.length; k += 1) {
    const isAtLimit = isOn && Math.abs(q[k]) > limit - LIMIT_SLACK;
    drawSector(ctx, joints[2 * k], joints[2 * k + 1], radius, heading, limit);
    ctx.fillStyle = isAtLimit ? danger : colour;
    ctx.strokeStyle = ctx.fillStyle;
    ctx.globalAlpha = isOn ? 0.14 : 0.06;
    ctx.fill();
    ctx.globalAlpha = isOn ? 0.75 : 0.35;
    ctx.lineWidth = isAtLimit ? 2 : 1;
    ctx.stroke();
    heading += q[k];
  }
  ctx.globalAlpha = 1;
}

/**
 * @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {number} radius
 * @param {number} heading  middle of the sector, counter-clockwise [rad] @param {number} half [rad]
 */
function drawSector(ctx, x, y, radius, heading, half) {
  ctx.beginPath();
  if (half < Math.PI - 1e-6) ctx.moveTo(x, y);
  ctx.arc(x, y, radius, -heading - half, -heading + half);
  ctx.closePath();
}
