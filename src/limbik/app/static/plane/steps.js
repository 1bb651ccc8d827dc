/**
 * The steps of the Jacobian methods for a point in the plane, for the card "How it works". Lengths are in links, y up. J
 * is two rows [n] and r = (x, y) is what is left to go.
 */

const LONGEST_STEP = 1; // [rad] of any joint in one iteration
const LONGEST_CLASSIC = 0.08; // [rad] of any joint in one iteration of the classic transpose
const LONGEST_ERROR = 0.3; // of the reach: DLS and the pseudo-inverse clamp the error to it
const WEAKEST = 1e-3; // of a singular value to the largest, under which the pseudo-inverse leaves it out
const WEAKEST_SDLS = 1e-10;
const JITTER = 1e-12; // of the trace of J J^T: Newton's, only enough to factorise
const LARGEST_TURN = Math.PI / 4; // [rad] of SDLS
const SUGIHARA = 0.05; // damping of LM per squared error
const MIN_DAMPING = 1e-12;

/** @typedef {[Float64Array, Float64Array]} Jacobian */
/** @typedef {[number, number]} Vector */

/**
 * @param {ArrayLike<number>} q [rad]
 * @returns {{J: Jacobian, tip: Vector}} tip: the end effector, from the base
 */
export function jacobian(q) {
  const n = q.length;
  const J = /** @type {Jacobian} */ ([new Float64Array(n), new Float64Array(n)]);
  const headings = Float64Array.from(q);
  for (let j = 1; j < n; j += 1) headings[j] += headings[j - 1];
  let [x, y] = [0, 0];
  for (let j = n - 1; j >= 0; j -= 1) {
    x += Math.cos(headings[j]);
    y += Math.sin(headings[j]);
    J[0][j] = -y;
    J[1][j] = x;
  }
  return { J, tip: [x, y] };
}

/** @param {Jacobian} J @param {ArrayLike<number>} dq @returns {Vector} J dq */
export function times(J, dq) {
  return [dot(J[0], dq), dot(J[1], dq)];
}

/** Take out of J every joint that a limit stops. @param {Jacobian} J @param {Vector} r @param {ArrayLike<number>} q @param {number} limit [rad] */
export function freeze(J, r, q, limit) {
  const gradient = transposeTimes(J, r);
  for (let j = 0; j < q.length; j += 1) {
    const isStopped = (q[j] >= limit - 1e-6 && gradient[j] > 0) || (q[j] <= 1e-6 - limit && gradient[j] < 0);
    if (isStopped) J[0][j] = J[1][j] = 0;
  }
}

/**
 * What a method proposes.
 * @param {string} solver @param {Jacobian} J @param {Vector} r
 * @param {{damping: number, gamma: number, lambda: number}} settings
 * @returns {Float64Array} dq [n] [rad]
 */
export function step(solver, J, r, settings) {
  return shortened(METHODS[solver](J, r, settings), LONGEST_STEP);
}

/** The shortest step that would remove all of the error if the arm were linear. @param {Jacobian} J @param {Vector} r */
export function undamped(J, r) {
  return pseudoInverse(J, r, WEAKEST);
}

/** @type {Record<string, (J: Jacobian, r: Vector, settings: {damping: number, gamma: number, lambda: number}) => Float64Array>} */
const METHODS = {
  jt(J, r, { gamma, damping }) {
    const gradient = transposeTimes(J, r);
    return scaled(gradient, damping * Math.min(Math.max(bestLength(J, r, gradient), 0), gamma));
  },
  'transpose-classic'(J, r, { damping }) {
    const gradient = transposeTimes(J, r);
    const length = damping * bestLength(J, r, gradient);
    return gradient.map((value) => Math.min(Math.max(length * value, -LONGEST_CLASSIC), LONGEST_CLASSIC));
  },
  dls(J, r, { lambda, damping }) {
    return scaled(dampedSolve(J, r, lambda * lambda), damping * clampFactor(r, LONGEST_ERROR * J[0].length));
  },
  pinv(J, r, { damping }) {
    return scaled(pseudoInverse(J, r, WEAKEST), damping * clampFactor(r, LONGEST_ERROR * J[0].length));
  },
  sdls(J, r) {
    let total = new Float64Array(J[0].length);
    for (const { along, row, squared } of singular(J, r, WEAKEST_SDLS)) {
      const moved = row.reduce((sum, w, j) => sum + Math.abs(w) * Math.hypot(J[0][j], J[1][j]), 0) / squared;
      const part = shortened(scaled(row, along / squared), LARGEST_TURN * Math.min(1, 1 / moved));
      total = total.map((value, j) => value + part[j]);
    }
    return shortened(total, LARGEST_TURN);
  },
  newton(J, r, { damping }) {
    return scaled(dampedSolve(J, r, JITTER * (dot(J[0], J[0]) + dot(J[1], J[1]))), damping);
  },
  lm(J, r) {
    const unit = J[0].length ** 2; // the squared reach
    return dampedSolve(J, r, SUGIHARA * dot(r, r) + unit * MIN_DAMPING);
  },
};

/** How far down the gradient the error is minimal, were the arm linear. @param {Jacobian} J @param {Vector} r @param {Float64Array} gradient  J^T r */
function bestLength(J, r, gradient) {
  const v = times(J, gradient);
  const squared = dot(v, v);
  return squared > 0 ? dot(r, v) / squared : 0;
}

/** J^T (J J^T + damping I)^-1 r. @param {Jacobian} J @param {Vector} r @param {number} damping */
function dampedSolve(J, r, damping) {
  const a = dot(J[0], J[0]) + damping;
  const b = dot(J[0], J[1]);
  const c = dot(J[1], J[1]) + damping;
  const determinant = a * c - b * b;
  if (!(determinant > 0)) return new Float64Array(J[0].length);
  return transposeTimes(J, [(c * r[0] - b * r[1]) / determinant, (a * r[1] - b * r[0]) / determinant]);
}

/** @param {Jacobian} J @param {Vector} r @param {number} weakest  singular value, to the largest */
function pseudoInverse(J, r, weakest) {
  let total = new Float64Array(J[0].length);
  for (const { along, row, squared } of singular(J, r, weakest)) {
    total = total.map((value, j) => value + (along / squared) * row[j]);
  }
  return total;
}

/**
 * The singular directions u of J with what J makes of them.
 * @param {Jacobian} J @param {Vector} r @param {number} weakest
 * @returns {{along: number, row: Float64Array, squared: number}[]} along: u . r; row: J^T u [n]; squared: |J^T u|^2
 */
function singular(J, r, weakest) {
  const angle = 0.5 * Math.atan2(2 * dot(J[0], J[1]), dot(J[0], J[0]) - dot(J[1], J[1]));
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const parts = [[c, s], [-s, c]].map((u) => {
    const row = transposeTimes(J, /** @type {Vector} */ (u));
    return { along: dot(u, r), row, squared: dot(row, row) };
  });
  const largest = Math.max(...parts.map(({ squared }) => squared));
  return parts.filter(({ squared }) => squared > weakest * weakest * largest);
}

/** @param {Jacobian} J @param {Vector} y */
function transposeTimes(J, y) {
  return J[0].map((value, j) => value * y[0] + J[1][j] * y[1]);
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function dot(a, b) {
  let total = 0;
  for (let i = 0; i < a.length; i += 1) total += a[i] * b[i];
  return total;
}

/** @param {Float64Array} v @param {number} factor */
function scaled(v, factor) {
  return v.map((value) => factor * value);
}

/** The vector with no number above `longest`. @param {Float64Array} v @param {number} longest */
function shortened(v, longest) {
  const largest = v.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  return largest > longest ? scaled(v, longest / largest) : v;
}

/** The factor that brings a vector down to a length. @param {Vector} r @param {number} longest */
function clampFactor(r, longest) {
  return Math.min(1, longest / Math.hypot(...r));
}
