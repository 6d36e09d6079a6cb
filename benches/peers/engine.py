"""MuJoCo: stepped from Python, and replayed by the engine alone."""

import time

import mujoco
import mujoco.rollout
import numpy


class MuJoCo:
    def version(self):
        """Name and version."""
        return f"MuJoCo {mujoco.__version__}"

    def load(self, xml, integrator, time_step):
        """A model that is stepped in a given way."""
        model = mujoco.MjModel.from_xml_string(xml)
        model.opt.timestep = time_step
        model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        return model

    def measure(self, model, positions, velocities):
        """What the sensors of a model read in states: by the sensor's name, a row a state."""
        data = mujoco.MjData(model)
        rows = []
        for data.qpos[:], data.qvel[:] in zip(positions, velocities):
            mujoco.mj_forward(model, data)
            rows.append(data.sensordata.copy())
        names = [model.sensor(index).name for index in range(model.nsensor)]
        spans = [(model.sensor(name).adr[0], model.sensor(name).dim[0]) for name in names]
        table = numpy.array(rows)
        return {name: table[:, first : first + count] for name, (first, count) in zip(names, spans)}

    def run(self, model, qpos, steps, law=None):
        """Steps from a pose at rest; `law(step, joints)` gives the efforts of the joints.

        Gives the times, and the joint coordinates: a row a step, the start first.
        """
        loop, step, states, controls = self.run_once(model, qpos, steps, law)
        engine, replayed = self._replay(model, qpos, controls)
        if not numpy.array_equal(replayed, states):
            raise SystemExit("MuJoCo's replay differs from its run: the times would be of another motion")
        seconds = {"engine alone": engine, "mj_step from Python": step}
        if law is not None:
            seconds["whole loop in Python"] = loop
        return {what: 1e6 * taken / steps for what, taken in seconds.items()}, states

    def run_once(self, model, qpos, steps, law):
        """Steps from Python: seconds of the whole loop, and of `mj_step` in it; states; efforts."""
        data = start(model, qpos)
        free = model.nq - model.nu
        states = numpy.empty((steps + 1, model.nq))
        controls = numpy.zeros((steps, model.nu))
        states[0] = data.qpos
        stepping = 0.0
        begin = time.perf_counter()
        for step in range(steps):
            if law is not None:
                controls[step] = data.ctrl[:] = law(step, data.qpos[free:])
            before = time.perf_counter()
            mujoco.mj_step(model, data)
            stepping += time.perf_counter() - before
            states[step + 1] = data.qpos
        loop = time.perf_counter() - begin
        # A world that diverges starts again at time 0, with no more than a warning.
        if abs(data.time - steps * model.opt.timestep) > 0.5 * model.opt.timestep:
            raise SystemExit("MuJoCo's run diverged")
        return loop, stepping, states, controls

    def _replay(self, model, qpos, controls):
        """The same efforts again, without Python between the steps."""
        data = start(model, qpos)
        full = mujoco.mjtState.mjSTATE_FULLPHYSICS
        initial = numpy.empty(mujoco.mj_stateSize(model, full))
        mujoco.mj_getState(model, data, initial, full)
        data = mujoco.MjData(model)
        begin = time.perf_counter()
        states, _ = mujoco.rollout.rollout(model, data, initial[None], controls[None])
        seconds = time.perf_counter() - begin
        # The time comes first.
        return seconds, numpy.vstack([qpos, states[0, :, 1 : 1 + model.nq]])


def start(model, qpos):
    """A world at rest."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    return data


def site_distance(model, states, first, second):
    """Distance between two sites, for each row of joint coordinates."""
    data = mujoco.MjData(model)
    ends = [model.site(name).id for name in (first, second)]
    distances = []
    for state in states:
        data.qpos[:] = state
        mujoco.mj_kinematics(model, data)
        distances.append(numpy.linalg.norm(data.site_xpos[ends[0]] - data.site_xpos[ends[1]]))
    return numpy.array(distances)
