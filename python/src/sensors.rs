//! Readings of sensors.

use bevy::prelude::*;
use bunraku::sensors::{Measurement, Sample, SensorEntities, SensorModel, SensorReading};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::{Bound, PyAny, PyAnyMethods, PyDictMethods, PyResult, Python};
use pyo3::types::PyDict;

use crate::arrays::pose_row;
use crate::world::SimulatedScene;

fn sensors(world: &SimulatedScene, body: usize) -> Vec<Entity> {
    world.get::<SensorEntities>(body).map(|sensors| sensors.iter().collect()).unwrap_or_default()
}

/// Names of the sensors of a body.
pub fn names(world: &SimulatedScene, body: usize) -> Vec<String> {
    let sensors = sensors(world, body);
    let world = world.ecs();
    sensors.iter().filter_map(|&sensor| Some(world.get::<SensorModel>(sensor)?.label().to_owned())).collect()
}

/// The last sample of a sensor: `None` if there is no such sensor, `Some(None)` if it has not measured yet.
pub fn sample(world: &SimulatedScene, body: usize, name: &str) -> Option<Option<Sample>> {
    let sensors = sensors(world, body);
    let world = world.ecs();
    let is_meant = |sensor: &&Entity| world.get::<SensorModel>(**sensor).is_some_and(|model| model.label() == name);
    let sensor = sensors.iter().find(is_meant)?;
    Some(world.get::<SensorReading>(*sensor).and_then(|reading| reading.0.clone()))
}

/// A sample as `bunraku.Reading`.
pub fn to_python<'py>(py: Python<'py>, sample: &Sample) -> PyResult<Bound<'py, PyAny>> {
    let values = PyDict::new(py);
    let vector = |vector: &nalgebra::Vector3<f64>| PyArray1::from_slice(py, vector.as_slice());
    match &sample.measurement {
        Measurement::Acceleration(acceleration) => values.set_item("acceleration", vector(acceleration))?,
        Measurement::AngularVelocity(velocity) => values.set_item("angular_velocity", vector(velocity))?,
        Measurement::Imu { acceleration, angular_velocity } => {
            values.set_item("acceleration", vector(acceleration))?;
            values.set_item("angular_velocity", vector(angular_velocity))?;
        }
        Measurement::Force(reading) => {
            values.set_item("force", vector(&reading.force))?;
            values.set_item("torque", vector(&reading.torque))?;
        }
        Measurement::Values(numbers) => {
            for (quantity, value) in numbers.named() {
                values.set_item(quantity.name, value)?;
            }
        }
        Measurement::Range(scan) => {
            let shape = [scan.returns * scan.pitch_samples, scan.yaw_samples];
            values.set_item("distances", PyArray1::from_slice(py, &scan.distances).reshape(shape)?)?;
            if !scan.intensities.is_empty() {
                values.set_item("intensities", PyArray1::from_slice(py, &scan.intensities).reshape(shape)?)?;
            }
        }
        Measurement::Camera(reading) => {
            let (height, width) = (reading.height as usize, reading.width as usize);
            let is_image = |count: usize| count == height * width;
            if !reading.colors.is_empty() {
                let count = reading.colors.len();
                let colors = PyArray1::from_slice(py, reading.colors.as_flattened()).into_any();
                let shape = if is_image(count) { vec![height, width, 3] } else { vec![count, 3] };
                values.set_item("colors", colors.call_method1("reshape", (shape,))?)?;
            }
            if !reading.points.is_empty() {
                let count = reading.points.len();
                let points: Vec<f32> = reading.points.iter().flat_map(|point| [point.x, point.y, point.z]).collect();
                let points = PyArray1::from_vec(py, points).into_any();
                let shape = if is_image(count) { vec![height, width, 3] } else { vec![count, 3] };
                values.set_item("points", points.call_method1("reshape", (shape,))?)?;
            }
            if !reading.depths.is_empty() {
                let depths = PyArray1::from_slice(py, &reading.depths).into_any();
                values.set_item("depths", depths.call_method1("reshape", ((height, width),))?)?;
            }
        }
    }
    let pose = PyArray1::from_slice(py, &pose_row(&sample.pose));
    py.import("bunraku._views")?.getattr("Reading")?.call1((sample.time, sample.number, pose, values))
}
