//! Contact pressures and friction of all contacts: projected sweeps.
//!
//!   ψ ← max(0, ψ + ω c / D)                                  (R3)   PT23 eq. 4.1a
//!   λ ← proj(λ − ω (s + b a) / T),  |λ| ≤ μ ψ |G|             (R4)   PT23 eq. 4.1b
//!
//! c is the compression (R2), s the slip of this step, a the slip that a contact which should stick
//! has gathered before (`contact_history`): b a of it is taken back. All bodies move between one
//! sweep and the next.
//!
//! A body with n contacts is moved n times too far if each contact moves it as if it were alone.
//! PT23 divides every step by the number n_R of active contacts of the particle's own body. Here
//! each contact owns a share 1/n of the mass of both of its bodies (mass splitting, Tonge et al.
//! 2012):
//!
//!   D = n_R J_R M_R⁻¹ J_Rᵀ + n_K J_K M_K⁻¹ J_Kᵀ               (R5)
//!
//! which is an upper bound of the whole matrix, so that sweeps converge whatever the masses, and
//! does not slow down the contacts of a light body when its heavy neighbour has many. T is made
//! alike.
//!
//! Residuals: the Fischer-Burmeister function of −c and D₁ψ (D₁: D with n = 1), and the change that
//! (R4) would make, as a slip (Macklin et al. 2019); means over the contacts that are active.

use splashdown_solve::nncg::Unknowns;

use crate::body::{CouplingMethod, CouplingSettings, CouplingSolver};
use crate::rigid::bodies::Body;
use crate::rigid::contact::Contact;
use crate::twist::Twist;

/// ω.
const OMEGA: f64 = 0.5;
/// b: which share of gathered slip a step takes back.
const RECALL: f64 = 0.2;

/// ψ and the two components of λ of one contact.
pub type Unknown = [f64; 3];

/// How sweeps go through the contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All at once.
    Jacobi,
    /// One after the other, each seeing what the others did.
    GaussSeidel,
}

impl Order {
    /// The one that `settings` ask for.
    pub fn of(settings: &CouplingSettings) -> Order {
        match (settings.method, settings.solver) {
            (CouplingMethod::Monolithic | CouplingMethod::Weak, CouplingSolver::Nncg) => {
                Order::GaussSeidel
            }
            _ => Order::Jacobi,
        }
    }
}

/// What one sweep found.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContactResidual {
    /// Mean Fischer-Burmeister residual.
    pub contact_error: f64,
    /// Mean friction residual.
    pub friction_error: f64,
    /// Change of the unknowns in the energy norm, squared.
    pub change: f64,
    /// Contacts that are compressed or under pressure.
    pub active: usize,
}

/// What does not change during a solve, for one contact.
#[derive(Clone, Copy, Debug, Default)]
struct ContactTerms {
    /// J M⁻¹ Jᵀ of R and K.
    mobility: [f64; 2],
    /// The same for tangents.
    tangent: [f64; 2],
    /// Overlap, as far as this step removes it.
    source: f64,
    /// b a.
    recall: [f64; 2],
}

/// The contacts of a step with their unknowns.
#[derive(Debug, Default)]
pub struct ContactSystem {
    contacts: Vec<Contact>,
    terms: Vec<ContactTerms>,
    /// Motions of all bodies without contacts.
    given: Vec<Twist>,
    /// ψ and λ of each contact.
    unknowns: Unknowns<Vec<Unknown>>,
    /// c and s of each contact.
    rates: Vec<Unknown>,
    /// Active contacts of each body.
    count: Vec<u32>,
    /// In how many parts the mass of a body is split before contacts share theirs: 2 if fluid has
    /// one.
    parts: Vec<f64>,
}

impl ContactSystem {
    /// The system of `contacts` between `bodies`. A step removes at most `largest_correction` of an
    /// overlap, in units of density; `slips` are what contacts have slipped that should stick, in
    /// h; `wet` tells which bodies touch fluid.
    pub fn new(
        contacts: Vec<Contact>,
        bodies: &[Body],
        largest_correction: f64,
        slips: &[crate::math::DVec3],
        wet: &[bool],
    ) -> ContactSystem {
        let terms = contacts.iter().zip(slips).map(|(contact, &slip)| {
            let pair = contact.solids.map(|solid| &bodies[solid]);
            ContactTerms {
                mobility: contact.mobility(pair),
                tangent: contact.tangent_mobility(pair),
                source: contact.overlap.min(contact.freedom * largest_correction),
                recall: contact.tangents.map(|t| RECALL * t.dot(slip)),
            }
        });
        let terms: Vec<ContactTerms> = terms.collect();
        let n = contacts.len();
        ContactSystem {
            terms,
            given: bodies.iter().map(|body| body.motion).collect(),
            unknowns: Unknowns::new(vec![[0.0; 3]; n]),
            rates: vec![[0.0; 3]; n],
            count: vec![0; bodies.len()],
            parts: wet.iter().map(|&wet| if wet { 2.0 } else { 1.0 }).collect(),
            contacts,
        }
    }

    /// All contacts.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// The force that contact `k` puts on the body of its particle.
    pub fn force_of(&self, k: usize) -> crate::math::DVec3 {
        let ([psi, a, b], contact) = (self.unknowns.now[k], &self.contacts[k]);
        let [s, t] = contact.tangents;
        psi * contact.strength * contact.normal + a * s + b * t
    }

    /// Begins with these unknowns instead of none.
    pub fn begin_with(&mut self, unknowns: Vec<Unknown>) {
        self.unknowns = Unknowns::new(unknowns);
    }

    /// The deepest contact, if it is as dense as `density` above the threshold of contact.
    pub fn deepest_beyond(&self, density: f64) -> Option<&Contact> {
        let deep = self.contacts.iter().filter(|contact| contact.overlap > density);
        deep.max_by(|a, b| a.overlap.total_cmp(&b.overlap))
    }

    /// Starts from the motions that `bodies` have now.
    pub fn start_from(&mut self, bodies: &[Body]) {
        self.given = bodies.iter().map(|body| body.motion).collect();
    }

    /// The motions of all bodies under the present unknowns and the impulses of others (`outside`,
    /// of fluid): PT23 eq. 3.11.
    pub fn move_bodies(&self, outside: &[Twist], bodies: &mut [Body]) {
        let mut impulse = outside.to_vec();
        for (contact, &[psi, a, b]) in self.contacts.iter().zip(&self.unknowns.now) {
            if psi == 0.0 && a == 0.0 && b == 0.0 {
                continue;
            }
            let [own, other] = contact.impulses(psi, [a, b]);
            impulse[contact.solids[0]].add(1.0, &own);
            impulse[contact.solids[1]].add(1.0, &other);
        }
        for ((body, given), impulse) in bodies.iter_mut().zip(&self.given).zip(&impulse) {
            if body.is_dynamic {
                body.motion = *given;
                body.apply(impulse);
            }
        }
    }

    /// One sweep from the present unknowns to the next ones; `bodies` have the motions that belong
    /// to the present ones, and are left with anything.
    pub fn sweep(&mut self, order: Order, bodies: &mut [Body]) -> ContactResidual {
        let residual = self.measure(bodies);
        match order {
            Order::Jacobi => self.jacobi(),
            Order::GaussSeidel => self.gauss_seidel(bodies),
        }
        ContactResidual { change: self.change(), ..residual }
    }

    /// Rates and residuals of the present unknowns; counts active contacts.
    fn measure(&mut self, bodies: &[Body]) -> ContactResidual {
        let mut residual = ContactResidual::default();
        self.count.fill(0);
        for (k, contact) in self.contacts.iter().enumerate() {
            let motion = contact.solids.map(|solid| &bodies[solid].motion);
            let terms = &self.terms[k];
            let c = terms.source + contact.approach(motion);
            let slip = contact.slip(motion);
            let [psi, a, b] = self.unknowns.now[k];
            self.rates[k] = [c, slip[0] + terms.recall[0], slip[1] + terms.recall[1]];
            if c <= 0.0 && psi <= 0.0 {
                continue;
            }
            contact.solids.iter().for_each(|&solid| self.count[solid] += 1);
            residual.active += 1;
            let (x, y) = (-c, terms.mobility.iter().sum::<f64>() * psi);
            residual.contact_error += (x + y - x.hypot(y)).abs();
            let limit = contact.friction * psi.max(0.0) * contact.strength;
            if limit > 0.0 {
                let tangent = terms.tangent.iter().sum::<f64>();
                let [_, u, v] = self.rates[k];
                let to = within([a - u / tangent, b - v / tangent], limit);
                residual.friction_error += tangent * (to[0] - a).hypot(to[1] - b);
            }
        }
        let mean = 1.0 / residual.active.max(1) as f64;
        residual.contact_error *= mean;
        residual.friction_error *= mean;
        residual
    }

    /// (R5) for pressure and friction.
    fn diagonals(&self, k: usize) -> [f64; 2] {
        let terms = &self.terms[k];
        let share =
            self.contacts[k].solids.map(|s| self.parts[s] * f64::from(self.count[s].max(1)));
        let split = |mobility: [f64; 2]| share[0] * mobility[0] + share[1] * mobility[1];
        [split(terms.mobility), split(terms.tangent)]
    }

    /// (R3) and (R4) for all contacts at once.
    fn jacobi(&mut self) {
        for k in 0..self.contacts.len() {
            let [d, t] = self.diagonals(k);
            let contact = &self.contacts[k];
            self.unknowns.next[k] =
                relaxed(contact, self.unknowns.now[k], self.rates[k], [OMEGA / d, OMEGA / t]);
        }
    }

    /// (R3) and (R4) one after the other, forth and back.
    fn gauss_seidel(&mut self, bodies: &mut [Body]) {
        self.unknowns.next.copy_from_slice(&self.unknowns.now);
        let n = self.contacts.len();
        for k in (0..n).chain((0..n).rev()) {
            let (contact, terms) = (&self.contacts[k], &self.terms[k]);
            let sum = |both: [f64; 2]| both[0] + both[1];
            let before = self.unknowns.next[k];
            let motion = contact.solids.map(|solid| &bodies[solid].motion);
            let c = terms.source + contact.approach(motion);
            let slip = contact.slip(motion);
            if c <= 0.0 && before == [0.0; 3] {
                continue;
            }
            let rates = [c, slip[0] + terms.recall[0], slip[1] + terms.recall[1]];
            let step = [1.0 / sum(terms.mobility), 1.0 / sum(terms.tangent)];
            let after = relaxed(contact, before, rates, step);
            self.unknowns.next[k] = after;
            let change: [f64; 3] = std::array::from_fn(|i| after[i] - before[i]);
            let impulses = contact.impulses(change[0], [change[1], change[2]]);
            for (solid, impulse) in contact.solids.into_iter().zip(impulses) {
                let response = bodies[solid].response(&impulse);
                bodies[solid].motion.add(1.0, &response);
            }
        }
    }

    /// |next − unknown|² with D and T as weights.
    fn change(&self) -> f64 {
        let mut change = 0.0;
        for (k, (next, now)) in self.unknowns.next.iter().zip(&self.unknowns.now).enumerate() {
            let [psi, a, b]: [f64; 3] = std::array::from_fn(|i| next[i] - now[i]);
            if psi != 0.0 || a != 0.0 || b != 0.0 {
                let [d, t] = self.diagonals(k);
                change += d * psi * psi + t * (a * a + b * b);
            }
        }
        change
    }

    /// (NC2)
    pub fn extrapolate(&mut self, beta: f64) {
        self.unknowns.extrapolate(beta);
    }

    /// Makes the last sweep's result the unknowns: a projected iterate, never an extrapolated one.
    pub fn settle(&mut self) {
        self.unknowns.settle();
    }

    /// The contact that the last sweep found most compressed.
    pub fn most_compressed(&self) -> Option<&Contact> {
        let rates = self.rates.iter().map(|rate| rate[0]);
        let worst = rates.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        worst.map(|(k, _)| &self.contacts[k])
    }

    /// What contact and friction give to the two bodies of contact `k`: pressure's part, friction's
    /// part.
    pub fn parts_of(&self, k: usize) -> [[Twist; 2]; 2] {
        let [psi, a, b] = self.unknowns.now[k];
        let contact = &self.contacts[k];
        [contact.impulses(psi, [0.0; 2]), contact.impulses(0.0, [a, b])]
    }
}

/// (R3) and (R4) for one contact with the steps ω/D and ω/T.
#[inline(always)]
fn relaxed(contact: &Contact, now: Unknown, rates: Unknown, step: [f64; 2]) -> Unknown {
    let ok = |step: f64| if step.is_finite() { step } else { 0.0 };
    let psi = (now[0] + ok(step[0]) * rates[0]).max(0.0);
    let limit = contact.friction * psi * contact.strength;
    let t = ok(step[1]);
    let [a, b] = within([now[1] - t * rates[1], now[2] - t * rates[2]], limit);
    [psi, a, b]
}

/// `v` shortened to at most `limit`.
#[inline(always)]
fn within(v: [f64; 2], limit: f64) -> [f64; 2] {
    let length = v[0].hypot(v[1]);
    if length <= limit { v } else { v.map(|x| x * (limit / length)) }
}

/// Whether what a sweep found is good enough.
pub fn is_small(residual: &ContactResidual, settings: &CouplingSettings) -> bool {
    residual.contact_error.max(residual.friction_error) <= settings.contact_error
}
