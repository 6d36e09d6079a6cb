//! The queue between the network and the simulation.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::network::Incoming;

/// Messages that wait while the simulation is busy, for example with the steps of a service.
const MOST_WAITING: usize = 1024;

/// A queue of bounded length. When it is full, the oldest command gives way to a new message, because later commands
/// replace earlier ones; requests, whose clients wait for replies, only give way if there is nothing else.
#[derive(Default)]
pub struct Inbox {
    queue: Mutex<Queue>,
    has_arrived: Condvar,
}

#[derive(Default)]
struct Queue {
    messages: VecDeque<Incoming>,
    /// Messages that gave way.
    dropped: u64,
}

impl Inbox {
    /// Adds a message.
    pub fn put(&self, message: Incoming) {
        let mut queue = self.lock();
        if queue.messages.len() >= MOST_WAITING {
            let is_command = |message: &Incoming| !matches!(message, Incoming::Request(..));
            let oldest = queue.messages.iter().position(is_command).unwrap_or(0);
            queue.messages.remove(oldest);
            queue.dropped += 1;
        }
        queue.messages.push_back(message);
        drop(queue);
        self.has_arrived.notify_one();
    }

    /// The oldest message; waits for one at most `wait`.
    pub fn take(&self, wait: Duration) -> Option<Incoming> {
        let deadline = Instant::now() + wait;
        let mut queue = self.lock();
        loop {
            if let Some(message) = queue.messages.pop_front() {
                return Some(message);
            }
            let left = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
            queue = self.has_arrived.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Messages that gave way to others so far.
    pub fn dropped(&self) -> u64 {
        self.lock().dropped
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    use rustdds::GUID;
    use rustdds::SequenceNumber;
    use rustdds::rpc::SampleIdentity;

    use super::super::messages::BaseVelocity;
    use super::super::network::ReplyTo;
    use super::super::services::{Request, Service};
    use super::*;

    fn velocity(forwards: usize) -> Incoming {
        #[allow(clippy::cast_precision_loss)]
        Incoming::Base(BaseVelocity { forwards: forwards as f64, turning: 0.0 })
    }

    fn request(steps: u64) -> Incoming {
        let identity = SampleIdentity { writer_guid: GUID::GUID_UNKNOWN, sequence_number: SequenceNumber::from(1) };
        Incoming::Request(Request::Step(steps), ReplyTo::new(Service::StepSimulation, identity, None))
    }

    fn speed(message: Option<Incoming>) -> Option<f64> {
        if let Some(Incoming::Base(velocity)) = message { Some(velocity.forwards) } else { None }
    }

    #[test]
    fn the_oldest_commands_give_way_and_requests_do_not() {
        let inbox = Inbox::default();
        inbox.put(request(7));
        (0..2 * MOST_WAITING).for_each(|number| inbox.put(velocity(number)));
        assert_eq!(inbox.dropped(), MOST_WAITING as u64 + 1);
        assert!(matches!(inbox.take(Duration::ZERO), Some(Incoming::Request(Request::Step(7), _))));
        assert_eq!(speed(inbox.take(Duration::ZERO)), Some((MOST_WAITING + 1) as f64));
        let rest: Vec<_> = std::iter::from_fn(|| inbox.take(Duration::ZERO)).collect();
        assert_eq!(rest.len(), MOST_WAITING - 2);
        assert_eq!(speed(rest.into_iter().next_back()), Some((2 * MOST_WAITING - 1) as f64));
    }

    #[test]
    fn requests_without_end_are_bounded_too() {
        let inbox = Inbox::default();
        (0..MOST_WAITING as u64 + 3).for_each(|steps| inbox.put(request(steps)));
        assert_eq!(inbox.dropped(), 3);
        assert!(matches!(inbox.take(Duration::ZERO), Some(Incoming::Request(Request::Step(3), _))));
    }

    #[test]
    fn a_message_ends_the_wait_for_it() {
        let inbox = Arc::new(Inbox::default());
        let (waiting, taken) = channel();
        let other = Arc::clone(&inbox);
        // Without an end it waits an hour.
        std::thread::spawn(move || waiting.send(speed(other.take(Duration::from_secs(3600)))));
        std::thread::sleep(Duration::from_millis(20));
        inbox.put(velocity(3));
        assert_eq!(taken.recv_timeout(Duration::from_secs(60)), Ok(Some(3.0)));
        assert!(inbox.take(Duration::from_millis(1)).is_none());
    }
}
