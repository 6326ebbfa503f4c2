//! A batch of queries on its way: those that are finished leave it, and equal states are computed once.

use std::collections::HashMap;

use super::Retriever;
use super::answer::{Answer, Wanted};
use super::judge::{Finished, distance, norm};
use super::report::{Report, Stopped};
use super::settings::Stop;
use super::sums::Origins;
use super::tiles::in_parts;
use crate::error::{Error, Result};
use crate::real::Real;
use crate::separation::Support;

/// An error and the number of the query in the batch that it is about.
type Faulty<V> = std::result::Result<V, (usize, Error)>;

/// How far a query is.
struct Course<T> {
    steps: usize,
    residual: f64,
    stopped: Option<Stopped>,
    support: Support<T>,
    complete: bool,
    /// Energies of the states before the current one; only the last of them unless a trace was asked for.
    energies: Vec<T>,
    /// Whether the current state came back, so that its energy is the last of those.
    returned: bool,
}

pub(super) struct Flight<'f, 'a, T: Real> {
    retriever: &'f Retriever<'a, T>,
    queries: &'f [T],
    /// Current states, one after the other; before the first step the queries.
    states: Vec<T>,
    courses: Vec<Course<T>>,
    /// The queries that are not finished.
    active: Vec<usize>,
    /// Patterns on which all weight stays, with the energy of the state that they give.
    settled: HashMap<usize, Option<T>>,
    steps: usize,
    /// The weights of the last update of each query, of a map with a finite reach.
    origins: Vec<Option<Support<T>>>,
}

impl<'f, 'a, T: Real> Flight<'f, 'a, T> {
    pub(super) fn new(retriever: &'f Retriever<'a, T>, queries: &'f [T]) -> Self {
        let count = queries.len() / retriever.model.width();
        let course = |_| Course {
            steps: 0,
            residual: 0.0,
            stopped: None,
            support: Support::default(),
            complete: false,
            energies: Vec::new(),
            returned: false,
        };
        Flight {
            retriever,
            queries,
            states: queries.to_vec(),
            courses: (0..count).map(course).collect(),
            active: (0..count).collect(),
            settled: HashMap::new(),
            steps: 0,
            origins: vec![None; count],
        }
    }

    /// Whether every query is finished.
    pub(super) fn is_over(&self) -> bool {
        self.active.is_empty()
    }

    /// Updates that are done, those that finished queries did not need among them.
    pub(super) fn done(&self) -> usize {
        let finished = self.courses.len() - self.active.len();
        finished * self.retriever.limit() + self.active.len() * self.steps
    }

    /// One update of every query that is not finished.
    pub(super) fn step(&mut self) -> Faulty<()> {
        let model = &self.retriever.model;
        let (width, next_width) = (model.width(), model.output_width());
        let (slots, distinct, firsts) = self.distinct(&self.active, width);
        let answers = self.answers(&distinct, &firsts, true)?;
        let parts = in_parts(answers.len(), |part| {
            let one = |slot: usize| {
                let state = &distinct[slot * width..(slot + 1) * width];
                self.moved(&answers[slot], state).map_err(|e| (firsts[slot], e))
            };
            part.map(one).collect::<Faulty<Vec<_>>>()
        });
        let moves: Vec<Move<T>> = parts.into_iter().collect::<Faulty<Vec<_>>>()?.into_iter().flatten().collect();
        for (answer, step) in answers.iter().zip(&moves) {
            if step.returned
                && let Some(index) = answer.pattern()
            {
                self.settled.insert(index, step.energy);
            }
        }
        if next_width != width {
            self.states = vec![T::zero(); self.courses.len() * next_width];
        }
        self.steps += 1;
        let reaches = model.omega.reach().is_some();
        for (&q, slot) in self.active.iter().zip(slots) {
            let (answer, step) = (&answers[slot], &moves[slot]);
            self.states[q * next_width..(q + 1) * next_width].copy_from_slice(&step.next);
            if reaches {
                self.origins[q] = Some(answer.support.clone());
            }
            arrive(self.retriever, &self.settled, &mut self.courses[q], (answer, step), self.steps);
        }
        self.active.retain(|&q| self.courses[q].stopped.is_none());
        Ok(())
    }

    /// Final states and reports.
    pub(super) fn land(mut self) -> Faulty<(Vec<T>, Vec<Report<T>>)> {
        let retriever = self.retriever;
        self.last_energies()?;
        let (width, next_width) = (retriever.model.width(), retriever.model.output_width());
        let mut reports = Vec::with_capacity(self.courses.len());
        let ends = self.states.chunks(next_width).zip(self.queries.chunks(width));
        let mut weights = vec![T::zero(); retriever.model.count()];
        for (number, (course, (state, query))) in self.courses.into_iter().zip(ends).enumerate() {
            let (support, complete) = (course.support, course.complete);
            let stopped = course.stopped.expect("the flight is over");
            let energy = course.energies.last().copied();
            let status = retriever.judge(&Finished { query, state, support: &support, complete, stopped, energy });
            support.iter().for_each(|(i, weight)| weights[i] = weight);
            let structures = if complete { retriever.model.omega.structures(&weights) } else { Ok(None) };
            let structures = structures.map_err(|error| (number, error))?.unwrap_or_default();
            support.indices().iter().for_each(|&i| weights[i] = T::zero());
            reports.push(Report {
                status,
                structures,
                stopped,
                steps: course.steps,
                residual: T::of(course.residual),
                support,
                energy,
                trace: retriever.settings.trace.then_some(course.energies),
            });
        }
        Ok((self.states, reports))
    }

    /// The energies of final states, which are known where the state came back.
    fn last_energies(&mut self) -> Faulty<()> {
        if !self.retriever.wants_energy() {
            return Ok(());
        }
        let open: Vec<usize> = (0..self.courses.len()).filter(|&q| !self.courses[q].returned).collect();
        let width = self.retriever.model.width();
        let (slots, distinct, firsts) = self.distinct(&open, width);
        let answers = self.answers(&distinct, &firsts, false)?;
        let energies: Vec<Option<T>> =
            answers.iter().zip(distinct.chunks(width)).map(|(answer, state)| self.energy(answer, state)).collect();
        for (q, slot) in open.into_iter().zip(slots) {
            push_energy(&mut self.courses[q], energies[slot], self.retriever.settings.trace);
        }
        Ok(())
    }

    /// One step of distinct states, each of which some query was the first to have.
    fn answers(&self, states: &[T], firsts: &[usize], projection: bool) -> Faulty<Vec<Answer<T>>> {
        let model = &self.retriever.model;
        let supports: Vec<_> = firsts.iter().map(|&q| self.origins[q].clone()).collect();
        let linear = model.auto_associative && model.psi.is_identity();
        let steps = if projection { self.retriever.limit() - self.steps } else { 1 };
        let origins = Origins { supports: &supports, linear, steps };
        let floor = self.retriever.settings.blend_floor;
        let wanted = Wanted { projection, conjugate: self.retriever.wants_energy(), floor };
        self.retriever.answers(states, origins, wanted).map_err(|(slot, e)| (firsts[slot], e))
    }

    /// The states of some queries without repetition: the place of each query's state among them, the states, and the
    /// first query that has each.
    fn distinct(&self, queries: &[usize], width: usize) -> (Vec<usize>, Vec<T>, Vec<usize>) {
        let mut known: HashMap<u64, Vec<usize>> = HashMap::with_capacity(queries.len());
        let (mut slots, mut states, mut firsts) = (Vec::with_capacity(queries.len()), Vec::new(), Vec::new());
        for &q in queries {
            let state = &self.states[q * width..(q + 1) * width];
            let alike = known.entry(hash(state)).or_default();
            let slot = alike.iter().copied().find(|&slot| states[slot * width..(slot + 1) * width] == *state);
            slots.push(slot.unwrap_or_else(|| {
                alike.push(firsts.len());
                firsts.push(q);
                states.extend_from_slice(state);
                firsts.len() - 1
            }));
        }
        (slots, states, firsts)
    }

    /// What an answer makes of its state.
    fn moved(&self, answer: &Answer<T>, state: &[T]) -> Result<Move<T>> {
        let psi = self.retriever.model.psi;
        let mut next = answer.projection.clone();
        if answer.log_scale == T::zero() {
            psi.argmax(&mut next)?;
        } else {
            psi.argmax_exp(&mut next, answer.log_scale)?;
        }
        let wide = next.len() == state.len();
        let residual = if wide { distance(&next, state) } else { norm(&next) };
        let (energy, size) = (self.energy(answer, state), norm(&next));
        Ok(Move { energy, returned: wide && next == state, residual, size, next })
    }

    /// The energy of the state that was answered.
    fn energy(&self, answer: &Answer<T>, state: &[T]) -> Option<T> {
        answer.conjugate.map(|conjugate| {
            let convex = self.retriever.model.psi.value(state);
            if convex == T::infinity() { convex } else { convex - conjugate }
        })
    }
}

/// One update of one state.
struct Move<T> {
    next: Vec<T>,
    /// Of the state before.
    energy: Option<T>,
    returned: bool,
    residual: f64,
    /// The length of the new state.
    size: f64,
}

/// Takes an update in, and says whether the query is finished with it.
fn arrive<T: Real>(
    retriever: &Retriever<'_, T>,
    settled: &HashMap<usize, Option<T>>,
    course: &mut Course<T>,
    (answer, step): (&Answer<T>, &Move<T>),
    steps: usize,
) {
    let (limit, trace, stop) = (retriever.limit(), retriever.settings.trace, retriever.stop());
    course.steps = steps;
    course.residual = step.residual;
    push_energy(course, step.energy, trace);
    let mut repeats = 0;
    let within = |residual: f64| match stop {
        Stop::Residual { tolerance, .. } => residual <= tolerance,
        Stop::Relative { tolerance, .. } => residual <= tolerance * step.size,
        _ => false,
    };
    if step.returned {
        course.returned = true;
        repeats = 1;
    } else if steps < limit
        && !within(step.residual)
        && let Some(index) = answer.pattern()
        && let Some(&energy) = settled.get(&index)
    {
        // The next update is known: it returns this state.
        course.returned = true;
        course.steps += 1;
        course.residual = 0.0;
        push_energy(course, energy, trace);
        repeats = 1;
    }
    course.stopped = match stop {
        _ if !retriever.model.is_iterable() => Some(Stopped::Steps),
        Stop::Steps(_) if course.returned || course.steps == limit => {
            repeats += limit - course.steps;
            course.steps = limit;
            Some(Stopped::Steps)
        }
        Stop::FixedPoint { .. } | Stop::Relative { .. } if course.returned => Some(Stopped::FixedPoint),
        _ if within(course.residual) => Some(Stopped::Residual),
        _ if course.steps == limit => Some(Stopped::Limit),
        _ => None,
    };
    if course.stopped.is_some() {
        course.support = answer.support.clone();
        course.complete = answer.complete;
        if let Some(&energy) = course.energies.last() {
            (0..repeats).for_each(|_| push_energy(course, Some(energy), trace));
        }
    }
}

/// Equal for states that are equal to the last bit.
fn hash<T: Real>(state: &[T]) -> u64 {
    const LANES: usize = 4;
    let mut lanes = [0x9E37_79B9_7F4A_7C15_u64; LANES];
    for part in state.chunks(LANES) {
        for (lane, v) in lanes.iter_mut().zip(part) {
            *lane = (*lane ^ v.wide().to_bits()).wrapping_mul(0xBF58_476D_1CE4_E5B9).rotate_left(29);
        }
    }
    lanes.into_iter().fold(0, |hash, lane| (hash ^ lane).wrapping_mul(0x94D0_49BB_1331_11EB).rotate_left(31))
}

fn push_energy<T>(course: &mut Course<T>, energy: Option<T>, trace: bool) {
    if !trace {
        course.energies.clear();
    }
    course.energies.extend(energy);
}
