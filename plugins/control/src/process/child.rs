//! The running program.

use std::io;
use std::process::ExitStatus;

use super::layout::{self, Commands};
use super::settings::ControllerProcess;

/// Why a program does not control its body.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProcessError {
    #[error("cannot be started: {0}")]
    Start(io::Error),
    #[error("has ended with {0} in place of a reply")]
    Ended(ExitStatus),
    #[error("has closed its output in place of a reply")]
    Closed,
    #[error("has not replied within {0} s; `timeout` in the controller allows more")]
    TimedOut(f64),
    #[error("has replied {0}")]
    Reply(String),
    #[error("has written {0} before it was asked; one reply belongs to each state, and other output to stderr")]
    Unasked(String),
    #[error("does not communicate: {0}")]
    Io(#[from] io::Error),
}

#[cfg(unix)]
pub(super) use unix::Program;

#[cfg(unix)]
mod unix {
    use std::io::{ErrorKind, Read, Write};
    use std::net::Shutdown;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::{Commands, ControllerProcess, ProcessError, io, layout};

    /// How long a program may take to end after its input was closed.
    const TO_END: Duration = Duration::from_secs(1);
    /// How long the exit status of a program that has closed its output is waited for.
    const TO_EXIT: Duration = Duration::from_millis(200);
    /// Time between two looks at whether it has ended.
    const LOOK: Duration = Duration::from_millis(2);

    /// A running program. It ends with this value: its input is closed, and it is killed if it goes on.
    pub struct Program {
        child: Child,
        /// Standard input and output of the program: a socket, because a pipe has no timeout.
        stream: UnixStream,
        /// Bytes that were read and belong to no reply yet.
        read: Vec<u8>,
        is_faulty: bool,
    }

    impl Program {
        pub fn start(process: &ControllerProcess) -> Result<Self, ProcessError> {
            let (stream, theirs) = UnixStream::pair().map_err(ProcessError::Start)?;
            stream.set_read_timeout(Some(process.timeout)).map_err(ProcessError::Start)?;
            stream.set_write_timeout(Some(process.timeout)).map_err(ProcessError::Start)?;
            let input = theirs.try_clone().map_err(ProcessError::Start)?;
            let Some((program, arguments)) = process.command.split_first() else {
                return Err(ProcessError::Start(ErrorKind::InvalidInput.into()));
            };
            let program = match program.contains('/') {
                true => process.directory.join(program),
                false => Path::new(program).to_owned(),
            };
            let mut command = Command::new(program);
            command.args(arguments).current_dir(&process.directory);
            // In a process group of its own: an interrupt from the terminal ends the run, which then ends the program.
            command
                .stdin(Stdio::from(OwnedFd::from(input)))
                .stdout(Stdio::from(OwnedFd::from(theirs)))
                .process_group(0);
            let child = command.spawn().map_err(ProcessError::Start)?;
            Ok(Self { child, stream, read: Vec::new(), is_faulty: false })
        }

        /// Sends a message and returns the reply. After an error the program is not usable.
        pub fn exchange(
            &mut self,
            process: &ControllerProcess,
            joints: usize,
            message: &[u8],
        ) -> Result<Commands, ProcessError> {
            let reply = self.try_exchange(process, joints, message);
            self.is_faulty = reply.is_err();
            reply
        }

        fn try_exchange(
            &mut self,
            process: &ControllerProcess,
            joints: usize,
            message: &[u8],
        ) -> Result<Commands, ProcessError> {
            let form = (process.layout, process.output);
            if !self.read.is_empty() {
                return Err(ProcessError::Unasked(layout::quoted(&self.read)));
            }
            let begun = Instant::now();
            if let Err(error) = self.stream.write_all(message) {
                return Err(self.failure(error, process));
            }
            let mut buffer = [0; 4096];
            loop {
                if let Some(length) = layout::complete(process.layout, &self.read) {
                    let reply: Vec<u8> = self.read.drain(..length).collect();
                    return layout::decode(form, joints, &reply).map_err(ProcessError::Reply);
                }
                layout::check_beginning(form, joints, &self.read).map_err(ProcessError::Reply)?;
                match self.stream.read(&mut buffer) {
                    Ok(0) => return Err(self.end()),
                    Ok(length) => self.read.extend_from_slice(&buffer[..length]),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(self.failure(error, process)),
                }
                if begun.elapsed() > process.timeout {
                    return Err(ProcessError::TimedOut(process.timeout.as_secs_f64()));
                }
            }
        }

        fn failure(&mut self, error: io::Error, process: &ControllerProcess) -> ProcessError {
            match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut => ProcessError::TimedOut(process.timeout.as_secs_f64()),
                ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => self.end(),
                _ => ProcessError::Io(error),
            }
        }

        /// The end of a program that has closed its output.
        fn end(&mut self) -> ProcessError {
            match self.wait(TO_EXIT) {
                Some(status) => ProcessError::Ended(status),
                None => ProcessError::Closed,
            }
        }

        fn wait(&mut self, longest: Duration) -> Option<std::process::ExitStatus> {
            let begun = Instant::now();
            loop {
                match self.child.try_wait() {
                    Ok(Some(status)) => return Some(status),
                    Ok(None) if begun.elapsed() < longest => std::thread::sleep(LOOK),
                    _ => return None,
                }
            }
        }
    }

    impl Drop for Program {
        fn drop(&mut self) {
            let _ = self.stream.shutdown(Shutdown::Both);
            if self.is_faulty || self.wait(TO_END).is_none() {
                let _ = self.child.kill();
                let _ = self.child.wait();
            }
        }
    }
}

/// Programs need sockets with timeouts as their standard input, which only Unix has.
#[cfg(not(unix))]
pub(super) struct Program;

#[cfg(not(unix))]
impl Program {
    pub fn start(_: &ControllerProcess) -> Result<Self, ProcessError> {
        Err(ProcessError::Start(io::ErrorKind::Unsupported.into()))
    }

    pub fn exchange(&mut self, _: &ControllerProcess, _: usize, _: &[u8]) -> Result<Commands, ProcessError> {
        Err(ProcessError::Closed)
    }
}
