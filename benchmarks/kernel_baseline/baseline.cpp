// The classical methods as plain C++ loops, from their textbook formulas: a yardstick for compiled kernels.
//
// Reads from standard input (binary, native byte order): int32 dimension, links, problems, then the link lengths,
// then per problem the target and the start as unit link directions [links][dimension]; all doubles.
// Prints JSON: for every method microseconds per iteration, and microseconds per solve at two tolerances.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

constexpr int kRepeats = 7;      // every timing is the fastest of so many
constexpr int kBudget = 1000;    // iterations of a solve
constexpr double kDamping = 0.05;        // of the reach: lambda of DLS
constexpr double kLongestError = 0.25;   // of the reach: DLS shortens the error to this (Buss)

struct Problem {
  std::vector<double> target;
  std::vector<double> start;  // unit directions
};

struct Arm {
  int dimension;
  int links;
  double reach;
  std::vector<double> lengths;
};

// Every method has place(problem) and run(tolerance, budget), which returns the iterations made; error() is the last one.

template <int D>
struct Fabrik {
  const Arm& arm;
  std::vector<double> p;
  const double* t = nullptr;

  explicit Fabrik(const Arm& a) : arm(a), p(D * (a.links + 1)) {}

  void place(const Problem& problem) {
    t = problem.target.data();
    for (int k = 0; k < D; k++) p[k] = 0.0;
    for (int i = 0; i < arm.links; i++)
      for (int k = 0; k < D; k++) p[D * (i + 1) + k] = p[D * i + k] + arm.lengths[i] * problem.start[D * i + k];
  }

  double error() const {
    double s = 0.0;
    for (int k = 0; k < D; k++) s += (p[D * arm.links + k] - t[k]) * (p[D * arm.links + k] - t[k]);
    return std::sqrt(s);
  }

  // Move `end` along the line from `fixed` so that it is `length` away.
  static void pull(const double* fixed, double* end, double length) {
    double u[D], s = 0.0;
    for (int k = 0; k < D; k++) {
      u[k] = end[k] - fixed[k];
      s += u[k] * u[k];
    }
    const double f = length / std::sqrt(s);
    for (int k = 0; k < D; k++) end[k] = fixed[k] + f * u[k];
  }

  int run(double tolerance, int budget) {
    const int n = arm.links;
    double* x = p.data();
    for (int iteration = 0; iteration < budget; iteration++) {
      if (error() <= tolerance) return iteration;
      for (int k = 0; k < D; k++) x[D * n + k] = t[k];
      for (int i = n - 1; i >= 0; i--) pull(x + D * (i + 1), x + D * i, arm.lengths[i]);
      for (int k = 0; k < D; k++) x[k] = 0.0;
      for (int i = 0; i < n; i++) pull(x + D * i, x + D * (i + 1), arm.lengths[i]);
    }
    return budget;
  }
};

// Hinges in the plane: relative angles, and the links they make.
struct Hinges {
  const Arm& arm;
  std::vector<double> angle, x, y;
  double tx = 0.0, ty = 0.0, tip_x = 0.0, tip_y = 0.0;

  explicit Hinges(const Arm& a) : arm(a), angle(a.links), x(a.links + 1), y(a.links + 1) {}

  void place(const Problem& problem) {
    tx = problem.target[0];
    ty = problem.target[1];
    double before = 0.0;
    for (int i = 0; i < arm.links; i++) {
      const double heading = std::atan2(problem.start[2 * i + 1], problem.start[2 * i]);
      angle[i] = heading - before;
      before = heading;
    }
    forward();
  }

  // Joint positions x, y; the last one is the tip.
  void forward() {
    double heading = 0.0;
    x[0] = y[0] = 0.0;
    for (int i = 0; i < arm.links; i++) {
      heading += angle[i];
      x[i + 1] = x[i] + arm.lengths[i] * std::cos(heading);
      y[i + 1] = y[i] + arm.lengths[i] * std::sin(heading);
    }
    tip_x = x[arm.links];
    tip_y = y[arm.links];
  }

  double error() const { return std::hypot(tx - tip_x, ty - tip_y); }
};

struct Ccd : Hinges {
  using Hinges::Hinges;

  int run(double tolerance, int budget) {
    for (int iteration = 0; iteration < budget; iteration++) {
      if (error() <= tolerance) return iteration;
      for (int j = arm.links - 1; j >= 0; j--) {
        const double ux = tip_x - x[j], uy = tip_y - y[j], vx = tx - x[j], vy = ty - y[j];
        const double turn = std::atan2(ux * vy - uy * vx, ux * vx + uy * vy);
        angle[j] += turn;
        const double c = std::cos(turn), s = std::sin(turn);
        tip_x = x[j] + c * ux - s * uy;
        tip_y = y[j] + s * ux + c * uy;
      }
      forward();
    }
    return budget;
  }
};

// CCD without trigonometry: a joint is a unit complex number, the turn is the normalised (dot, cross).
struct CcdComplex : Hinges {
  std::vector<double> c, s;

  explicit CcdComplex(const Arm& a) : Hinges(a), c(a.links), s(a.links) {}

  void place(const Problem& problem) {
    Hinges::place(problem);
    for (int i = 0; i < arm.links; i++) {
      c[i] = std::cos(angle[i]);
      s[i] = std::sin(angle[i]);
    }
  }

  int run(double tolerance, int budget) {
    for (int iteration = 0; iteration < budget; iteration++) {
      if (error() <= tolerance) return iteration;
      for (int j = arm.links - 1; j >= 0; j--) {
        const double ux = tip_x - x[j], uy = tip_y - y[j], vx = tx - x[j], vy = ty - y[j];
        double dot = ux * vx + uy * vy, cross = ux * vy - uy * vx;
        const double f = 1.0 / std::sqrt(dot * dot + cross * cross + 1e-300);
        dot *= f;
        cross *= f;
        tip_x = x[j] + dot * ux - cross * uy;
        tip_y = y[j] + cross * ux + dot * uy;
        const double turned = c[j] * dot - s[j] * cross;
        s[j] = s[j] * dot + c[j] * cross;
        c[j] = turned;
      }
      double hc = 1.0, hs = 0.0;
      for (int i = 0; i < arm.links; i++) {
        const double next = hc * c[i] - hs * s[i];
        hs = hs * c[i] + hc * s[i];
        hc = next;
        const double shrink = 1.5 - 0.5 * (hc * hc + hs * hs);  // keeps the heading a unit vector
        hc *= shrink;
        hs *= shrink;
        x[i + 1] = x[i] + arm.lengths[i] * hc;
        y[i + 1] = y[i] + arm.lengths[i] * hs;
      }
      tip_x = x[arm.links];
      tip_y = y[arm.links];
    }
    return budget;
  }
};

// Jacobian transpose: u = J^T r, v = J u, a step of (r . v) / (v . v) along u.
struct Transpose : Hinges {
  using Hinges::Hinges;

  int run(double tolerance, int budget) {
    for (int iteration = 0; iteration < budget; iteration++) {
      if (error() <= tolerance) return iteration;
      const double rx = tx - tip_x, ry = ty - tip_y;
      double vx = 0.0, vy = 0.0;
      for (int j = 0; j < arm.links; j++) {
        const double jx = -(tip_y - y[j]), jy = tip_x - x[j];
        const double u = jx * rx + jy * ry;
        vx += jx * u;
        vy += jy * u;
      }
      const double alpha = std::max(0.0, (rx * vx + ry * vy) / (vx * vx + vy * vy + 1e-300));
      for (int j = 0; j < arm.links; j++) angle[j] += alpha * ((tip_x - x[j]) * ry - (tip_y - y[j]) * rx);
      forward();
    }
    return budget;
  }
};

// Damped least squares in the dual form: a 2x2 system.
struct Dls : Hinges {
  using Hinges::Hinges;

  int run(double tolerance, int budget) {
    const double damping = kDamping * kDamping * arm.reach * arm.reach;
    for (int iteration = 0; iteration < budget; iteration++) {
      const double length = error();
      if (length <= tolerance) return iteration;
      const double shorter = std::min(1.0, kLongestError * arm.reach / length);
      const double rx = shorter * (tx - tip_x), ry = shorter * (ty - tip_y);
      double a = damping, b = 0.0, d = damping;
      for (int j = 0; j < arm.links; j++) {
        const double jx = -(tip_y - y[j]), jy = tip_x - x[j];
        a += jx * jx;
        b += jx * jy;
        d += jy * jy;
      }
      const double f = 1.0 / (a * d - b * b);
      const double wx = f * (d * rx - b * ry), wy = f * (a * ry - b * rx);
      for (int j = 0; j < arm.links; j++) angle[j] += (tip_x - x[j]) * wy - (tip_y - y[j]) * wx;
      forward();
    }
    return budget;
  }
};

// CCD on ball joints: the smallest rotation from the tip to the target, as a quaternion; one pass to the base, then
// one pass back that composes the rotations and turns the links.
struct CcdBall {
  const Arm& arm;
  std::vector<double> d, p, q;  // directions [n][3], positions [n + 1][3], rotations of this sweep [n][4] (wxyz)
  double t[3] = {}, e[3] = {};

  explicit CcdBall(const Arm& a) : arm(a), d(3 * a.links), p(3 * (a.links + 1)), q(4 * a.links) {}

  void place(const Problem& problem) {
    std::copy(problem.target.begin(), problem.target.end(), t);
    d = problem.start;
    forward();
  }

  void forward() {
    for (int k = 0; k < 3; k++) p[k] = 0.0;
    for (int i = 0; i < arm.links; i++)
      for (int k = 0; k < 3; k++) p[3 * (i + 1) + k] = p[3 * i + k] + arm.lengths[i] * d[3 * i + k];
    for (int k = 0; k < 3; k++) e[k] = p[3 * arm.links + k];
  }

  double error() const {
    return std::sqrt((t[0] - e[0]) * (t[0] - e[0]) + (t[1] - e[1]) * (t[1] - e[1]) + (t[2] - e[2]) * (t[2] - e[2]));
  }

  static void rotate(const double* r, double* v) {
    const double a = 2.0 * (r[2] * v[2] - r[3] * v[1]), b = 2.0 * (r[3] * v[0] - r[1] * v[2]);
    const double c = 2.0 * (r[1] * v[1] - r[2] * v[0]);
    v[0] += r[0] * a + r[2] * c - r[3] * b;
    v[1] += r[0] * b + r[3] * a - r[1] * c;
    v[2] += r[0] * c + r[1] * b - r[2] * a;
  }

  int run(double tolerance, int budget) {
    const int n = arm.links;
    for (int iteration = 0; iteration < budget; iteration++) {
      if (error() <= tolerance) return iteration;
      for (int j = n - 1; j >= 0; j--) {
        const double* joint = &p[3 * j];
        double u[3], v[3], uu = 0.0, vv = 0.0, uv = 0.0;
        for (int k = 0; k < 3; k++) {
          u[k] = e[k] - joint[k];
          v[k] = t[k] - joint[k];
          uu += u[k] * u[k];
          vv += v[k] * v[k];
          uv += u[k] * v[k];
        }
        const double norm = std::sqrt(uu * vv);
        double r[4] = {norm + uv, u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3];
        double f = square > 1e-300 ? 1.0 / std::sqrt(square) : 0.0;
        for (int k = 0; k < 4; k++) q[4 * j + k] = r[k] * f;
        if (f == 0.0) q[4 * j] = 1.0;
        const double stretch = std::sqrt(uu / std::max(vv, 1e-300));
        for (int k = 0; k < 3; k++) e[k] = joint[k] + stretch * v[k];
      }
      double w[4] = {1.0, 0.0, 0.0, 0.0};
      for (int i = 0; i < n; i++) {
        const double* r = &q[4 * i];
        const double a = w[0] * r[0] - w[1] * r[1] - w[2] * r[2] - w[3] * r[3];
        const double b = w[0] * r[1] + w[1] * r[0] + w[2] * r[3] - w[3] * r[2];
        const double c = w[0] * r[2] - w[1] * r[3] + w[2] * r[0] + w[3] * r[1];
        const double g = w[0] * r[3] + w[1] * r[2] - w[2] * r[1] + w[3] * r[0];
        w[0] = a, w[1] = b, w[2] = c, w[3] = g;
        double* link = &d[3 * i];
        rotate(w, link);
        const double shrink = 1.5 - 0.5 * (link[0] * link[0] + link[1] * link[1] + link[2] * link[2]);
        for (int k = 0; k < 3; k++) link[k] *= shrink;
      }
      forward();
    }
    return budget;
  }
};

struct Total {
  double seconds;
  long iterations;
  int solved;
};

template <class Method>
Total run_all(const Arm& arm, const std::vector<Problem>& problems, double tolerance, int budget) {
  using Clock = std::chrono::steady_clock;
  Total best{1e300, 0, 0};
  Method method(arm);
  for (int repeat = 0; repeat < kRepeats; repeat++) {
    long iterations = 0;
    int solved = 0;
    double seconds = 0.0;
    for (const Problem& problem : problems) {
      method.place(problem);
      const auto before = Clock::now();
      iterations += method.run(tolerance, budget);
      seconds += std::chrono::duration<double>(Clock::now() - before).count();
      solved += method.error() <= tolerance;
    }
    if (seconds < best.seconds) best = {seconds, iterations, solved};
  }
  return best;
}

template <class Method>
std::string measure(const char* name, const Arm& arm, const std::vector<Problem>& problems) {
  const double tiny = 1e-14 * arm.reach;
  const Total few = run_all<Method>(arm, problems, tiny, 4), many = run_all<Method>(arm, problems, tiny, 20);
  const Total coarse = run_all<Method>(arm, problems, 1e-3 * arm.reach, kBudget);
  const Total fine = run_all<Method>(arm, problems, 1e-6 * arm.reach, kBudget);
  const double per_iteration = (many.seconds - few.seconds) / double(many.iterations - few.iterations);
  const double count = double(problems.size());
  char text[512];
  std::snprintf(text, sizeof text,
                "\"%s\": {\"us_per_iteration\": %.5f, \"us_per_solve_1e-3\": %.4f, \"us_per_solve_1e-6\": %.4f, "
                "\"iterations_1e-3\": %.2f, \"iterations_1e-6\": %.2f, \"success_1e-3\": %.5f, \"success_1e-6\": %.5f}",
                name, 1e6 * per_iteration, 1e6 * coarse.seconds / count, 1e6 * fine.seconds / count,
                double(coarse.iterations) / count, double(fine.iterations) / count, coarse.solved / count,
                fine.solved / count);
  return text;
}

template <class T>
std::vector<T> read(size_t count) {
  std::vector<T> values(count);
  if (std::fread(values.data(), sizeof(T), count, stdin) != count) std::exit(2);
  return values;
}

int main() {
  const auto header = read<std::int32_t>(3);
  Arm arm{header[0], header[1], 0.0, read<double>(header[1])};
  for (double length : arm.lengths) arm.reach += length;
  std::vector<Problem> problems;
  for (int i = 0; i < header[2]; i++) {
    auto target = read<double>(arm.dimension);
    problems.push_back({target, read<double>(arm.dimension * arm.links)});
  }
  if (arm.dimension == 2) {
    std::printf("{%s, %s, %s, %s, %s}\n", measure<Fabrik<2>>("fabrik", arm, problems).c_str(),
                measure<Ccd>("ccd", arm, problems).c_str(),
                measure<CcdComplex>("ccd without trigonometry", arm, problems).c_str(),
                measure<Transpose>("jt", arm, problems).c_str(), measure<Dls>("dls", arm, problems).c_str());
  } else {
    std::printf("{%s, %s}\n", measure<Fabrik<3>>("fabrik", arm, problems).c_str(),
                measure<CcdBall>("ccd", arm, problems).c_str());
  }
  return 0;
}
