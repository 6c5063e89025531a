"""Identify a servo from a log and plot how well its model predicts the positions.

    python3 examples/python/04_identify.py [LOG.csv]    columns as in docs/servo-identification.md

Without a log it makes one: a servo that moves a weight, with noise. Uses matplotlib if it is there,
otherwise it writes an SVG.
"""
import sys

import numpy as np

import sinew

VOLTAGE = 12.0
OUT = "identification.svg"


def simulated_log():
    truth = sinew.Servo(kp=60.0, alpha=(9.0, 1.5, 0.8, 4.0), qs=0.2)
    t = np.arange(0.0, 20.0, 0.01)
    w = 2 * np.pi * np.array([0.21, 0.83, 1.9])
    size = np.array([0.5, 0.15, 0.04])
    q = (size * np.sin(np.outer(t, w))).sum(axis=1)
    qd = (size * w * np.cos(np.outer(t, w))).sum(axis=1)
    tau = 0.4 * np.sin(q) + 0.1 * np.cos(3.1 * t)
    noise = np.random.default_rng(0).normal(0.0, 0.001, len(t))
    return {"time": t, "goal": truth.goal(VOLTAGE, q, qd, tau=tau), "position": q + noise,
            "effort": tau, "voltage": np.full(len(t), VOLTAGE)}


def write_svg(t, curves):
    """Two curves over time, without further libraries."""
    low = min(c.min() for _, _, c in curves)
    high = max(c.max() for _, _, c in curves)
    lines = []
    for i, (name, colour, c) in enumerate(curves):
        x = 800 * (t - t[0]) / (t[-1] - t[0])
        y = 300 * (high - c) / (high - low)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        lines.append(f'<text x="10" y="{20 + 20 * i}" fill="{colour}">{name}</text>')
    with open(OUT, "w") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 300">'
                   + "".join(lines) + "</svg>\n")


def plot(predictions):
    t = predictions["time"]
    curves = [("measured", "#888", predictions["position"]),
              ("predicted", "#c00", predictions["predicted"])]
    try:
        import matplotlib
        matplotlib.use("svg")
        import matplotlib.pyplot as figure
    except ImportError:
        write_svg(t, curves)
        return
    for name, colour, curve in curves:
        figure.plot(t, curve, color=colour, label=name)
    figure.xlabel("time, s")
    figure.ylabel("position, rad")
    figure.legend()
    figure.savefig(OUT)


if len(sys.argv) > 1:
    log = np.genfromtxt(sys.argv[1], delimiter=",", names=True, dtype=None, encoding="utf-8")
else:
    log = simulated_log()
result = sinew.identify(log, sinew.Servo(kp=60.0, qs=0.2), voltage=VOLTAGE)
for i, (value, std) in enumerate(zip(result.servo.alpha, result.std)):
    print(f"alpha{i} = {value:.4f} +- {std:.4f}")
print(f"{result.samples} samples, error {1000 * result.error_rad:.2f} mrad")
plot(result.predictions)
print(f"wrote {OUT}")
if not result.ok:
    sys.exit(f"not identified: {result.reason}")
