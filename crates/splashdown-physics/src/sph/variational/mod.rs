//! The variational fluid: a step minimises two quadratic potentials, of compression and of
//! friction.
//!
//! Paper: Xie 2023, Contact proxy splitting (X23), chapter 4 and appendix A. What is printed there
//! and not built, and why: docs/methods/variational.md.
//!
//!   min  ½|x − x̂|²_M + Δt² (P_I + P_V)                                        (4.23, fluid part)
//!   P_I = ½ k_I V₀ Σ (Jᵢ − 1)²                                                (4.8)
//!   Jᵢ = Jᵢⁿ (1 + Δt ∇·vᵢ),   Jᵢⁿ = ρ₀/Σⱼ mⱼ Wᵢⱼ                              (4.9, 4.10)
//!   ∇·vᵢ = Σⱼ Vⱼ (vⱼ − vᵢ)·∇Wᵢⱼ + Σ_b V_b (v_b − vᵢ)·∇Wᵢ_b                    (4.11, A.2)
//!   P_V = ½ Δt Σ over pairs of vᵢⱼᵀ Vᵢⱼ vᵢⱼ                                   (4.14)
//!
//! | paper    | here            | what                                                        |
//! |----------|-----------------|-------------------------------------------------------------|
//! | x − xⁿ   | u               | displacement over the step, in h                            |
//! | x̂ − xⁿ   | `goal`          | the same without pressure and friction                      |
//! | M        | μ, `mass`       | density over ρ_ref                                          |
//! | k_I      | κ, `stiffness`  | k_I Δt²/(ρ_ref h²)                                          |
//! | Jⁿ       | `ratio`         | as it counts in P_I                                         |
//! | V / V₀   | `volume`        | of particles; of samples β φ′, ρ_b = ρ₀                     |
//! | ∇Wᵢⱼ     | `gradient`      | hᵈ⁺¹ ∇W of the spiky kernel (`rows`)                        |
//! | –        | `active`        | particles that P_I is summed over (`solve`)                 |
//!
//! Energies are in the unit of the pressure solvers, ρ_ref hᵈ h²/Δt². Both Hessians are sums of
//! squares, so the system is positive definite. Samples of solids move at given velocities;
//! `Potentials` takes displacements of all particles, so that whoever moves samples sees how P
//! depends on them, and `operator::reaction` gives the forces on them.

pub mod assembled;
pub mod derivatives;
pub mod friction;
pub mod operator;
pub mod potentials;
pub mod rows;
pub mod solve;

#[cfg(test)]
mod tests;
