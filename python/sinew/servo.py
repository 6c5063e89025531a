"""Models of servos, and their identification from logs."""
from dataclasses import dataclass, field

import numpy as np

from . import _sinew

_DEAD_ZONE = 0.001  # rad/s: slower counts as at rest


@dataclass(frozen=True)
class Servo:
    """A servo with a proportional regulator on a battery (sinew/servo_model.h):

        kp V (goal / kgear - q) = alpha0 qd + alpha1 sgn(qd) + alpha2 sgn(qd) exp(-|qd / qs|^delta)
                                  + alpha3 tau + inertia qdd

    Positions are rad, torques N·m, voltages V. Invalid parameters raise sinew.Error. The methods
    take numbers or arrays and broadcast them.
    """
    kp: float = 1.0
    kgear: float = 1.0
    alpha: tuple = (0.0, 0.0, 0.0, 0.0)
    qs: float = 1.0
    delta: float = 1.0
    inertia: float = 0.0
    back_emf: float = 0.0
    load_friction: tuple = (0.0, 0.0)
    back_load_friction: tuple = None
    offset: float = 0.0
    drive_max: float = 0.0
    delay: float = 0.0
    backlash: float = 0.0
    name: str = ""

    def __post_init__(self):
        object.__setattr__(self, "alpha", tuple(float(a) for a in self.alpha))
        if len(self.alpha) != 4:
            raise ValueError(f"alpha has {len(self.alpha)} numbers, expected 4")
        _sinew._servo_check(self._numbers())

    def _numbers(self):
        back = self.back_load_friction
        return [self.kp, self.kgear, *self.alpha, self.qs, self.delta, self.inertia, self.back_emf,
                *self.load_friction, *(back or (0.0, 0.0)), float(back is not None), self.offset,
                self.drive_max, self.delay, self.backlash]

    def _evaluate(self, what, voltage, goal, q, qd, qdd, tau, dead_zone):
        columns = np.broadcast_arrays(voltage, goal, q, qd, qdd, tau)
        table = np.stack([np.ravel(c).astype(float) for c in columns], axis=1)
        result = _sinew._servo(what, self._numbers(), table, dead_zone)
        shape = columns[0].shape
        return float(result[0]) if shape == () else result.reshape(shape)

    def goal(self, voltage, q, qd=0.0, qdd=0.0, tau=0.0, dead_zone=_DEAD_ZONE):
        """The goal that causes this motion with this torque on the joint."""
        return self._evaluate("goal", voltage, 0.0, q, qd, qdd, tau, dead_zone)

    def torque(self, voltage, goal, q, qd=0.0, qdd=0.0, dead_zone=_DEAD_ZONE):
        """The torque that the servo delivers with this goal during this motion."""
        return self._evaluate("torque", voltage, goal, q, qd, qdd, 0.0, dead_zone)

    def position(self, voltage, goal, qd=0.0, qdd=0.0, tau=0.0, dead_zone=_DEAD_ZONE):
        """The position at which this goal causes this velocity and torque."""
        return self._evaluate("position", voltage, goal, 0.0, qd, qdd, tau, dead_zone)

    def acceleration(self, voltage, goal, q, qd, inertia, tau=0.0, dead_zone=_DEAD_ZONE):
        """The acceleration of a joint on the servo.

        inertia: of what the joint moves, kg·m², above 0. tau: on the joint from outside.
        """
        if not np.all(np.asarray(inertia) > 0.0):
            raise ValueError("inertia must be above 0")
        return self._evaluate("acceleration", voltage, goal, q, qd, inertia, tau, dead_zone)


def _servo_of(numbers, name):
    x = tuple(numbers)
    return Servo(kp=x[0], kgear=x[1], alpha=x[2:6], qs=x[6], delta=x[7], inertia=x[8],
                 back_emf=x[9], load_friction=x[10:12],
                 back_load_friction=x[12:14] if x[14] else None, offset=x[15], drive_max=x[16],
                 delay=x[17], backlash=x[18], name=name)


def load_servos(path):
    """The servos of a file (`servo_models:` in YAML): a dict from name to sinew.Servo."""
    return {name: _servo_of(numbers, name) for name, numbers in _sinew._servo_models(path)}


@dataclass(frozen=True)
class Identification:
    """What identify() found.

    servo: with the identified parameters. std: standard deviations of alpha0..alpha3, inertia, qs,
    delta; 0 for what was not identified. ok: enough samples, all excited, small error; otherwise
    `reason` says why not. error_rad: root of the mean squared error of predicted positions.
    predictions: structured array with time, position, predicted, velocity.
    """
    servo: Servo
    std: tuple
    ok: bool
    excited: bool
    excitation: float
    error_rad: float
    samples: int
    delay: int
    reason: str
    predictions: np.ndarray = field(repr=False)


_COLUMNS = ("time", "goal", "position", "velocity", "effort", "voltage")


def _table_of(log):
    """A dict or structured array of columns as n x 6 numbers; what is missing is nan."""
    names = log.dtype.names if isinstance(log, np.ndarray) else log.keys()
    for name in _COLUMNS[:3]:
        if names is None or name not in names:
            raise ValueError(f"the log has no column '{name}', expected {', '.join(_COLUMNS)}")
    rows = len(log["time"])
    table = np.full((rows, len(_COLUMNS)), np.nan)
    for i, name in enumerate(_COLUMNS):
        if name in names:
            table[:, i] = log[name]
    return table


def identify(log, servo, voltage=0.0, threshold_rad=0.0, min_velocity=0.0, delay=None,
             fit_stribeck=False, identify_inertia=False):
    """Identify the alpha of a servo from a log.

    log: columns time, goal, position and, if measured, velocity, effort, voltage, as a dict of
    arrays, a structured array or a DataFrame. servo: kp, kgear and what else is known. voltage:
    where the log has none. delay: in samples; found if None. fit_stribeck, identify_inertia: search
    these, too. Zero means the default of threshold_rad (0.01) and min_velocity (0.002).
    """
    found = _sinew._identify(servo._numbers(), _table_of(log), voltage, threshold_rad, min_velocity,
                             -1 if delay is None else delay, fit_stribeck, identify_inertia)
    names = ["time", "position", "predicted", "velocity"]
    predictions = np.ascontiguousarray(found["predictions"]).view([(n, "f8") for n in names])
    return Identification(servo=_servo_of(found["parameters"], servo.name),
                          std=found["std"], ok=found["ok"], excited=found["excited"],
                          excitation=found["excitation"], error_rad=found["error_rad"],
                          samples=found["samples"], delay=found["delay"],
                          reason=found["reason"] or "", predictions=predictions[:, 0])
