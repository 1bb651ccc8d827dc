// Reads one request per line, runs its problems, writes one answer per line.
// open(request) gives { place(problem), solve(), positions() }: only solve() is timed; it returns the iterations.
import { createInterface } from "node:readline";

const WARM_UP = 200; // solves of a kind of arm before its first measurement, so that V8 has compiled
const TURN = 0.005; // seconds of solves that do not count at the beginning of every request

export function serve(open) {
  const warmed = new Map();
  createInterface({ input: process.stdin }).on("line", (line) => {
    const request = JSON.parse(line);
    const session = open(request);
    const started = process.hrtime.bigint();
    const elapsed = () => Number(process.hrtime.bigint() - started) * 1e-9;
    const kind = `${request.planar} ${request.limit}`;
    let warm = warmed.get(kind) ?? 0;
    for (; warm < WARM_UP && elapsed() < 1.0; warm++) {
      session.place(request.problems[warm % request.problems.length]);
      session.solve();
    }
    warmed.set(kind, warm);
    const turn = elapsed();
    for (let k = 0; k < 20 && elapsed() - turn < TURN; k++) {
      session.place(request.problems[k % request.problems.length]);
      session.solve();
    }
    const results = [];
    const measuring = elapsed();
    for (const problem of request.problems) {
      if (results.length > 0 && elapsed() - measuring > request.seconds) break;
      session.place(problem);
      const before = process.hrtime.bigint();
      const iterations = session.solve();
      const seconds = Number(process.hrtime.bigint() - before) * 1e-9;
      results.push({ seconds, iterations, positions: session.positions() });
    }
    process.stdout.write(JSON.stringify(results) + "\n");
  });
}

// Joint positions from link directions.
export function place_joints(start, lengths) {
  const positions = [[0, 0, 0]];
  start.forEach((direction, i) => {
    positions.push(direction.map((value, axis) => positions[i][axis] + lengths[i] * value));
  });
  return positions;
}
