//! Motions as arrays. `bunraku.Motion` is the class around them.

use std::path::PathBuf;

use bunraku::document::Reporter;
use bunraku::motion::{BodyMotion, Sampling, Sequence, SequenceError};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::arrays::pose_row;
use crate::errors::detached;
use crate::loading::load_error;
use crate::model::pose;

/// Frame rate (Hz), times of the frames (s), joint displacements (frames, joints) and link poses (frames, links, 7).
type Arrays<'py> =
    (f64, Bound<'py, PyArray1<f64>>, Option<Bound<'py, PyArray2<f64>>>, Option<Bound<'py, PyArray3<f64>>>);

/// Reads a motion file. Sequences whose frames are not at the same times are resampled at the rate of the motion.
#[pyfunction]
pub fn read_motion(py: Python<'_>, path: PathBuf) -> PyResult<Arrays<'_>> {
    let (loaded, findings) = detached(py, || {
        let reporter = Reporter::new();
        let loaded = BodyMotion::load(&path, &reporter).map_err(|finding| *finding);
        (loaded, reporter.into_diagnostics())
    })?;
    let mut motion =
        loaded.map_err(|finding| load_error(py, "the motion cannot be read", &[findings, vec![finding]].concat()))?;
    let is_even = match (&motion.joint_displacements, &motion.link_positions) {
        (Some(joints), Some(links)) => joints.timing() == links.timing() && joints.num_frames() == links.num_frames(),
        _ => true,
    };
    if !is_even {
        let even = detached(py, || motion.resample(motion.frame_rate, Sampling::Linear))?;
        motion = even.map_err(|reason| PyValueError::new_err(reason.to_string()))?;
    }
    fn times<T>(sequence: &Sequence<T>) -> Vec<f64> {
        (0..sequence.num_frames()).map(|frame| sequence.time(frame)).collect()
    }
    let (joints, links) = (motion.joint_displacements.as_ref(), motion.link_positions.as_ref());
    let times = joints.map(times).or_else(|| links.map(times)).unwrap_or_default();
    let joints = joints
        .map(|joints| PyArray1::from_slice(py, joints.values()).reshape([joints.num_frames(), joints.num_parts()]));
    let links = links.map(|links| {
        let rows = links.values().iter().flat_map(pose_row).collect();
        PyArray1::from_vec(py, rows).reshape([links.num_frames(), links.num_parts(), 7])
    });
    Ok((motion.frame_rate, PyArray1::from_vec(py, times), joints.transpose()?, links.transpose()?))
}

/// Writes a motion; frames are at `frame_rate` (Hz) unless `times` (s) are given.
#[pyfunction]
pub fn write_motion(
    py: Python<'_>,
    path: PathBuf,
    frame_rate: f64,
    times: Option<PyReadonlyArray1<'_, f64>>,
    joints: Option<PyReadonlyArray2<'_, f64>>,
    links: Option<PyReadonlyArray3<'_, f64>>,
) -> PyResult<()> {
    let times: Option<Vec<f64>> = times.map(|times| times.as_array().to_vec());
    fn sequence<T>(
        rate: f64,
        times: Option<&Vec<f64>>,
        parts: usize,
        values: Vec<T>,
    ) -> Result<Sequence<T>, SequenceError> {
        match times {
            Some(times) => Sequence::timed(times.clone(), parts, values)?.with_frame_rate(rate),
            None => Sequence::new(rate, parts, values),
        }
    }
    let invalid = |reason: SequenceError| PyValueError::new_err(reason.to_string());
    let finite = |what: &str, values: &[f64]| match values.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(PyValueError::new_err(format!("`{what}` contains {value}"))),
        None => Ok(()),
    };
    let mut motion = BodyMotion::new(frame_rate);
    if let Some(joints) = joints {
        let joints = joints.as_array();
        let values: Vec<f64> = joints.iter().copied().collect();
        finite("joint_displacements", &values)?;
        motion.joint_displacements =
            Some(sequence(frame_rate, times.as_ref(), joints.ncols(), values).map_err(invalid)?);
    }
    if let Some(links) = links {
        let links = links.as_array();
        let &[_, parts, width] = links.shape() else {
            return Err(PyValueError::new_err("`link_poses` has no three axes"));
        };
        if width != 7 {
            return Err(PyValueError::new_err(format!("rows of `link_poses` have {width} numbers instead of 7")));
        }
        let values: Vec<f64> = links.iter().copied().collect();
        finite("link_poses", &values)?;
        let poses = values.chunks_exact(7).map(pose).collect::<PyResult<Vec<_>>>()?;
        motion.link_positions = Some(sequence(frame_rate, times.as_ref(), parts, poses).map_err(invalid)?);
    }
    detached(py, || motion.save(&path))?.map_err(|reason| PyOSError::new_err(reason.to_string()))
}
