//! All cases by what they are about, and how names on the command line become cases.

use splashdown_physics::nearest::nearest;

use super::{
    Case, bullet, channel, dam_break, degenerate, drops, elastic, floating, grid, hydrostatic,
    incline, leak, momentum, piles, pillar, proxy, repeatable, rising_sphere, still_water,
    structures, taylor_green, wet,
};

/// Cases about one subject; its name stands for all of them.
pub struct Group {
    /// For the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// In the order in which they run.
    pub cases: &'static [Case],
}

/// All groups. A new case is one line in one of them.
pub fn groups() -> &'static [Group] {
    const GROUPS: &[Group] = &[
        Group {
            name: "water",
            summary: "liquids by themselves: pressure, viscosity, walls",
            cases: &[
                hydrostatic::CASE,
                channel::POISEUILLE,
                channel::COUETTE,
                taylor_green::CASE,
                dam_break::CASE,
                still_water::CASE,
                leak::CASE,
                pillar::CASE,
            ],
        },
        Group {
            name: "grid",
            summary: "liquids on a grid: pressure, walls, volume",
            cases: &[grid::HYDROSTATIC, grid::DAM_BREAK, grid::VORTEX, grid::VOLUME, grid::LEAK],
        },
        Group {
            name: "bodies",
            summary: "rigid bodies, dry and in water",
            cases: &[
                incline::CASE,
                piles::MASS_RATIO,
                piles::BOX_STACK,
                floating::LIGHT_BODY,
                floating::ARCHIMEDES,
                floating::ARCHIMEDES_LARGE,
                rising_sphere::CASE,
                momentum::CASE,
                degenerate::CASE,
                structures::TOWER,
                structures::CARD_HOUSE,
                structures::CHAIN,
                structures::ARCH,
                structures::LEWIS,
                structures::TOWER_40,
                structures::CARD_HOUSE_7,
                structures::CHAIN_100,
                bullet::CASE,
                bullet::PILE,
            ],
        },
        Group {
            name: "drops",
            summary: "surface tension, contact angles, friction of liquids on walls",
            cases: &[
                drops::DERIVATIVES,
                drops::MOMENTUM,
                drops::YOUNG_LAPLACE,
                drops::OSCILLATION,
                drops::OSCILLATION_LARGE,
                drops::CONTACT_ANGLE,
                drops::CAPILLARY_STEP,
                drops::SLOPES,
                drops::REST,
                drops::SPLIT,
                drops::SESSILE,
                drops::SESSILE_FINE,
                drops::CAPILLARY_RISE,
                drops::TWO_DROPS,
                drops::FLOATING_PIN,
            ],
        },
        Group {
            name: "elastic",
            summary: "elastic bodies, shells, rods and their contact",
            cases: &[
                elastic::DERIVATIVES,
                elastic::PATCH_TEST,
                elastic::CANTILEVER,
                elastic::SHELL,
                elastic::ROD,
                elastic::TWIST_BAR,
                elastic::CSM1,
                elastic::CSM3,
                elastic::ENERGY,
                elastic::INCLINE,
                elastic::SLIDING,
                elastic::ARCH,
                elastic::CARD_HOUSE,
                elastic::CHAIN_NET,
                elastic::SQUEEZE_OUT,
                elastic::TWIST_CLOTH,
                elastic::TIGHT_PACK,
                elastic::HIGH_SPEED,
            ],
        },
        Group {
            name: "soft-water",
            summary: "elastic bodies in water",
            cases: &[
                wet::CUBES,
                wet::CUBES_FINE,
                wet::SHELLS,
                wet::HYDROELASTIC,
                wet::ALUMINIUM,
                wet::ADDED_MASS,
                wet::BAG,
                wet::JET,
                wet::GATE,
                wet::OBSTACLE,
                wet::GATE_FINE,
            ],
        },
        Group {
            name: "proxy",
            summary: "the variational fluid, alone and with elastic bodies",
            cases: &[
                proxy::DERIVATIVES,
                proxy::HYDROSTATIC,
                proxy::VISCOUS,
                proxy::STIFFNESS,
                proxy::MOMENTUM,
                proxy::ORDER,
                proxy::FRICTION,
                proxy::COST,
                proxy::LINEAR,
                proxy::LINEAR_LARGE,
            ],
        },
        Group {
            name: "runs",
            summary: "the same bytes after a restart and on any number of threads",
            cases: &[repeatable::RESTART, repeatable::THREADS],
        },
    ];
    GROUPS
}

/// All cases, group by group.
pub fn cases() -> impl Iterator<Item = &'static Case> {
    groups().iter().flat_map(|group| group.cases)
}

/// The cases that names of cases and groups stand for, each once, in the order of `cases`; no name
/// stands for all groups. A group is those of its cases that do not have to be asked for by name;
/// if `quick`, those of them that take seconds.
pub fn choose(names: &[String], quick: bool) -> Result<Vec<&'static Case>, String> {
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        return Err(unknown(name));
    }
    let asks_for = |name: &str| names.is_empty() || names.iter().any(|asked| asked == name);
    let of_group = |group: &'static Group| {
        let whole = asks_for(group.name);
        group.cases.iter().filter(move |case| {
            let by_group = whole && !case.by_name && (!quick || case.is_quick());
            by_group || (!names.is_empty() && asks_for(case.name))
        })
    };
    Ok(groups().iter().flat_map(of_group).collect())
}

fn names() -> impl Iterator<Item = &'static str> {
    groups().iter().map(|group| group.name).chain(cases().map(|case| case.name))
}

fn is_known(name: &str) -> bool {
    names().any(|known| known == name)
}

fn unknown(name: &str) -> String {
    match nearest(name, names()) {
        Some(meant) => format!("there is no case or group {name}; did you mean {meant}?"),
        None => {
            let groups: Vec<&str> = groups().iter().map(|group| group.name).collect();
            let groups = groups.join(", ");
            format!("there is no case or group {name}; groups are {groups}, --list has all cases")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn chosen(names: &[&str], quick: bool) -> Vec<&'static str> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        choose(&names, quick).unwrap().iter().map(|case| case.name).collect()
    }

    #[test]
    fn every_name_is_unique() {
        let unique: BTreeSet<&str> = names().collect();
        assert_eq!(unique.len(), names().count());
    }

    #[test]
    fn no_name_stands_for_all_that_need_not_be_named() {
        let usual = cases().filter(|case| !case.by_name).map(|case| case.name);
        assert_eq!(chosen(&[], false), usual.collect::<Vec<_>>());
    }

    #[test]
    fn groups_and_names_mix_and_each_case_runs_once() {
        assert_eq!(chosen(&["runs"], false), ["restart", "threads"]);
        assert_eq!(
            chosen(&["threads", "runs", "tower-40"], false),
            ["tower-40", "restart", "threads"]
        );
        assert!(!chosen(&["bodies"], false).contains(&"tower-40"));
    }

    #[test]
    fn quick_leaves_out_what_takes_minutes_unless_it_is_named() {
        let quick = chosen(&["water"], true);
        assert!(quick.contains(&"couette") && !quick.contains(&"hydrostatic"));
        assert!(chosen(&["water", "hydrostatic"], true).contains(&"hydrostatic"));
    }

    #[test]
    fn unknown_names_get_the_nearest() {
        let message = |name: &str| choose(&[name.to_owned()], false).err().unwrap();
        assert!(message("elastik").contains("did you mean elastic?"));
        assert!(message("towr").contains("did you mean tower?"));
        assert!(message("xyz").contains("groups are water, grid, bodies"));
    }
}
