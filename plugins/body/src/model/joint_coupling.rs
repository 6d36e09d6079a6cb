//! Joints that follow other joints.

use super::{Body, JointIndex, JointKind, LinkIndex};

/// Number of coefficients of a coupling.
pub const COUPLING_COEFFICIENTS: usize = 5;

/// A joint that follows another one: its displacement is a polynomial of the leader's displacement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointCoupling {
    /// Link that the following joint moves.
    pub follower: LinkIndex,
    /// Link that the leading joint moves. It may itself follow a third joint.
    pub leader: LinkIndex,
    /// Coefficients of 1, q, q², … for the leader's displacement q, rad or m: the offset, the multiplier, and those of
    /// curves.
    pub polynomial: [f64; COUPLING_COEFFICIENTS],
}

impl JointCoupling {
    /// A follower at `multiplier`·leader + `offset`, rad or m.
    pub fn linear(follower: LinkIndex, leader: LinkIndex, multiplier: f64, offset: f64) -> Self {
        Self { follower, leader, polynomial: [offset, multiplier, 0.0, 0.0, 0.0] }
    }

    /// Multiplier and offset of a coupling that is linear.
    pub fn as_linear(&self) -> Option<(f64, f64)> {
        let [offset, multiplier, curves @ ..] = self.polynomial;
        (curves == [0.0; 3]).then_some((multiplier, offset))
    }

    /// Displacement of the follower for one of the leader, rad or m.
    pub fn displacement(&self, leader: f64) -> f64 {
        self.polynomial.iter().rev().fold(0.0, |sum, coefficient| sum * leader + coefficient)
    }

    /// Velocity of the follower for a unit velocity of the leader at this displacement.
    pub fn slope(&self, leader: f64) -> f64 {
        let powers = [1.0, 2.0, 3.0, 4.0].into_iter().zip(&self.polynomial[1..]).rev();
        powers.fold(0.0, |sum, (power, coefficient)| sum * leader + power * coefficient)
    }
}

/// Reason why joints cannot be coupled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CouplingError {
    /// The joint of this link has no displacement.
    Immovable(LinkIndex),
    /// The follower follows a joint already.
    FollowsAlready,
    /// The leader follows the follower, or is the same joint.
    Cycle,
    /// A free joint between the two makes them separate bodies.
    Separate,
    /// A coefficient is not finite.
    NotFinite,
}

impl CouplingError {
    /// Code of its diagnostic.
    pub fn code(self) -> &'static str {
        match self {
            Self::Immovable(_) => "coupling-immovable",
            Self::FollowsAlready => "coupling-twice",
            Self::Cycle => "coupling-cycle",
            Self::Separate => "coupling-separate",
            Self::NotFinite => "not-finite",
        }
    }
}

impl Body {
    /// Couplings of joints, each after that of its leader.
    pub fn joint_couplings(&self) -> &[JointCoupling] {
        &self.joint_couplings
    }

    /// Makes a joint follow another one.
    ///
    /// # Errors
    /// The reason why it cannot; the body is unchanged then.
    pub fn couple(&mut self, coupling: JointCoupling) -> Result<(), CouplingError> {
        let JointCoupling { follower, leader, polynomial } = coupling;
        let moves = |link: &LinkIndex| self.links.get(link.0).is_some_and(|link| link.joint.kind.has_displacement());
        if let Some(fixed) = [follower, leader].into_iter().find(|link| !moves(link)) {
            return Err(CouplingError::Immovable(fixed));
        }
        if !polynomial.iter().all(|coefficient| coefficient.is_finite()) {
            return Err(CouplingError::NotFinite);
        }
        let of = |link: LinkIndex| self.joint_couplings.iter().find(|known| known.follower == link);
        if of(follower).is_some() {
            return Err(CouplingError::FollowsAlready);
        }
        if std::iter::successors(Some(leader), |link| of(*link).map(|known| known.leader)).any(|link| link == follower)
        {
            return Err(CouplingError::Cycle);
        }
        let tree = |link: LinkIndex| {
            let is_top = |link: &LinkIndex| self.link(*link).joint.kind == JointKind::Free;
            let mut path = std::iter::successors(Some(link), |link| self.link(*link).parent);
            path.find(is_top).unwrap_or(LinkIndex::ROOT)
        };
        if tree(follower) != tree(leader) {
            return Err(CouplingError::Separate);
        }
        // Before those that it leads.
        let first = self.joint_couplings.iter().position(|known| known.leader == follower);
        let end = self.joint_couplings.len();
        self.joint_couplings.insert(first.unwrap_or(end), coupling);
        Ok(())
    }

    /// Moves the joints that follow others to where their leaders are. `displacements` are in joint order, rad or m.
    pub fn follow_leaders(&self, displacements: &mut [f64]) {
        for coupling in &self.joint_couplings {
            let [follower, leader] = [coupling.follower, coupling.leader].map(|link| self.joint_of(link));
            let value = leader.and_then(|JointIndex(leader)| displacements.get(leader).copied());
            if let (Some(value), Some(JointIndex(follower))) = (value, follower)
                && let Some(slot) = displacements.get_mut(follower)
            {
                *slot = coupling.displacement(value);
            }
        }
    }

    /// Gives the joints that follow others the velocities that those of their leaders make. Both are in joint order;
    /// displacements in rad or m, velocities in rad/s or m/s.
    pub fn follow_velocities(&self, displacements: &[f64], velocities: &mut [f64]) {
        for coupling in &self.joint_couplings {
            let [follower, leader] = [coupling.follower, coupling.leader].map(|link| self.joint_of(link));
            let (Some(JointIndex(follower)), Some(JointIndex(leader))) = (follower, leader) else { continue };
            let at = displacements.get(leader).copied().unwrap_or(0.0);
            let velocity = velocities.get(leader).copied().unwrap_or(0.0);
            if let Some(slot) = velocities.get_mut(follower) {
                *slot = coupling.slope(at) * velocity;
            }
        }
    }

    /// The joint that moves a link, if joint vectors have an entry for it.
    pub fn joint_of(&self, link: LinkIndex) -> Option<JointIndex> {
        self.joints.iter().position(|slot| *slot == super::JointSlot::Link(link)).map(JointIndex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Joint, JointSlot, ModelFormat};

    /// A root with sliders at it, and a free link with one more.
    fn sliders(count: usize) -> Body {
        let text: String = (0..count)
            .map(|index| {
                format!(
                    "  - {{ name: S{index}, parent: A, joint_id: {index}, joint_type: prismatic, joint_axis: Z }}\n"
                )
            })
            .collect();
        let text = format!(
            "format: ChoreonoidBody\nformat_version: 2.0\nlinks:\n  - {{ name: A, joint_type: fixed }}\n{text}  - {{ name: F, parent: A, joint_type: free }}\n  - {{ name: G, parent: F, joint_type: prismatic, joint_axis: Z }}\n"
        );
        let source = bunraku_document::SourceFile::from_text("sliders.body", text);
        let body = crate::read(&source, &crate::LoadOptions::default(), &bunraku_document::Reporter::new()).unwrap();
        assert_eq!(body.format, ModelFormat::ChoreonoidBody);
        assert_eq!(body.joint_of(LinkIndex(1)), Some(JointIndex(0)));
        assert!(matches!(body.joints()[0], JointSlot::Link(_)));
        assert!(matches!(body.link(LinkIndex(1)).joint, Joint { kind: JointKind::Prismatic, .. }));
        body
    }

    #[test]
    fn chains_are_followed_whatever_the_order_they_are_given_in() {
        let mut body = sliders(3);
        let links = [1, 2, 3].map(LinkIndex);
        body.couple(JointCoupling::linear(links[2], links[1], 3.0, 0.5)).unwrap();
        body.couple(JointCoupling { follower: links[1], leader: links[0], polynomial: [0.1, 0.0, 2.0, 0.0, 0.0] })
            .unwrap();
        let mut displacements = vec![2.0, 0.0, 0.0, 7.0];
        body.follow_leaders(&mut displacements);
        assert_eq!(displacements, [2.0, 8.1, 3.0 * 8.1 + 0.5, 7.0]);
        assert_eq!(body.initial_displacements()[1..3], [0.1, 0.8]);
        // d(0.1 + 2·q²) = 4·q·dq
        let mut velocities = vec![0.5, 0.0, 9.0, 1.0];
        body.follow_velocities(&displacements, &mut velocities);
        assert_eq!(velocities, [0.5, 4.0, 12.0, 1.0]);
    }

    #[test]
    fn what_cannot_be_coupled_is_refused() {
        let mut body = sliders(3);
        let couple = |body: &mut Body, follower: usize, leader: usize, factor: f64| {
            body.couple(JointCoupling::linear(LinkIndex(follower), LinkIndex(leader), factor, 0.0))
        };
        assert_eq!(couple(&mut body, 2, 1, 1.0), Ok(()));
        assert_eq!(couple(&mut body, 3, 2, 1.0), Ok(()));
        for (follower, leader, factor, expected) in [
            (1, 3, 1.0, CouplingError::Cycle),
            (1, 1, 1.0, CouplingError::Cycle),
            (2, 1, 1.0, CouplingError::FollowsAlready),
            (0, 1, 1.0, CouplingError::Immovable(LinkIndex(0))),
            (1, 4, 1.0, CouplingError::Immovable(LinkIndex(4))),
            (1, 5, 1.0, CouplingError::Separate),
            (1, 99, 1.0, CouplingError::Immovable(LinkIndex(99))),
            (1, 2, f64::NAN, CouplingError::NotFinite),
        ] {
            assert_eq!(couple(&mut body, follower, leader, factor), Err(expected));
        }
        assert_eq!(body.joint_couplings().len(), 2);
    }
}
