//! The same file read and written by PyYAML with libyaml.

use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAM: &str = "
import sys, time, yaml
from yaml import CSafeLoader, CSafeDumper
class Sink:
    def write(self, data):
        pass
def fastest(work):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return min(times), result
def load():
    with open(sys.argv[1], 'rb') as file:
        return yaml.load(file, Loader=CSafeLoader)
seconds, motion = fastest(load)
print(seconds)
print(fastest(lambda: yaml.dump(motion, Sink(), Dumper=CSafeDumper))[0])
";

/// Seconds, the best of three runs.
pub struct Cost {
    pub load: f64,
    pub dump: f64,
}

/// Measures PyYAML, if it is available.
pub fn measure(path: &Path) -> Option<Cost> {
    let output = Command::new("python3").arg("-c").arg(PROGRAM).arg(path).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut seconds = text.lines().map(str::parse::<f64>);
    Some(Cost { load: seconds.next()?.ok()?, dump: seconds.next()?.ok()? })
}
