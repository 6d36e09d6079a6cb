//! Options for the contents of a window.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub struct ViewArgs {
    /// A scene, or models, each with a motion behind it if it is to play one; without a file the window offers scenes
    #[cfg_attr(not(feature = "viewer"), allow(dead_code))]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    #[cfg_attr(not(feature = "viewer"), allow(dead_code))]
    pub window: WindowArgs,
    /// Stop at the end of the scene (`simulation.duration`), which is else only a mark on the time line
    #[arg(long)]
    #[cfg_attr(not(feature = "viewer"), allow(dead_code))]
    pub stop_at_end: bool,
}

/// Options for the initial contents of a window.
#[derive(Args, Default)]
#[command(next_help_heading = "Window")]
pub struct WindowArgs {
    /// Write a picture of the window to a file, and close it
    #[arg(long, value_name = "PNG")]
    pub picture: Option<PathBuf>,
    /// Simulated time of the picture in seconds [default: 0]
    #[arg(long, value_name = "S", requires = "picture")]
    pub at: Option<f64>,
    /// Light letters on dark
    #[arg(long)]
    pub dark: bool,
    /// Items to draw in addition to the bodies: contact-forces, joint-axes and so on, as under Show in the window
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub show: Vec<String>,
    /// Body or link to select, as BODY or BODY/LINK
    #[arg(long, value_name = "BODY/LINK")]
    pub select: Option<String>,
    /// A curve to plot: BODY/JOINT, BODY/JOINT.velocity, BODY/JOINT.effort, BODY/JOINT.target, BODY/root.x … root.yaw, BODY/zmp.x …
    #[arg(long, value_name = "BODY/JOINT")]
    pub plot: Vec<String>,
    /// A recording to lay over the plotted curves: a motion, or a directory of results
    #[arg(long, value_name = "PATH")]
    pub over: Vec<PathBuf>,
    /// Draw targets of joints beside their displacements
    #[arg(long)]
    pub targets: bool,
    /// Move a joint, as its slider does, to degrees or m
    #[arg(long, value_name = "BODY/JOINT=X")]
    pub joint: Vec<String>,
    /// The panel to bring to the front: Sensors, Problems and so on
    #[arg(long, value_name = "PANEL")]
    pub panel: Vec<String>,
    /// Side from which the camera looks: front, left, top or aslant
    #[arg(long, value_name = "SIDE", conflicts_with = "camera")]
    pub from: Option<String>,
    /// Draw without perspective
    #[arg(long)]
    pub orthographic: bool,
    /// Body or link with which the camera moves, as BODY or BODY/LINK
    #[arg(long, value_name = "BODY/LINK")]
    pub follow: Option<String>,
    /// Camera of a body through which the view looks, as BODY/CAMERA
    #[arg(long, value_name = "BODY/CAMERA", conflicts_with_all = ["camera", "from", "follow"])]
    pub through: Option<String>,
    /// Where the camera is and what it looks at, m
    #[arg(long, num_args = 6, value_names = ["X", "Y", "Z", "TX", "TY", "TZ"], allow_negative_numbers = true)]
    pub camera: Vec<f32>,
}

impl WindowArgs {
    /// Whether any of the options was given.
    pub fn are_given(&self) -> bool {
        let Self {
            picture,
            at,
            dark,
            show,
            select,
            plot,
            over,
            targets,
            joint,
            panel,
            from,
            orthographic,
            follow,
            through,
            camera,
        } = self;
        let lists = [show, plot, joint, panel].iter().any(|list| !list.is_empty());
        let names = [select, from, follow, through].into_iter().any(Option::is_some);
        let flags = *dark || *orthographic || *targets;
        picture.is_some() || at.is_some() || flags || names || lists || !over.is_empty() || !camera.is_empty()
    }
}
