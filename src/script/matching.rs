use super::answers::{Answer, AnswersFile, Entry};
use super::paste;
use super::question::{Question, To};
use crate::bundle::Config;
use crate::llm::{Scene, Unanswered};
use crate::object::yaml::Place;

/// An answers file at work: each answer is used once.
#[derive(Debug)]
pub struct Script {
    file: AnswersFile,
    used: Vec<bool>,
}

impl Script {
    /// Nothing of it is used.
    pub fn new(file: AnswersFile) -> Script {
        let used = vec![false; file.answers.len()];
        Script { file, used }
    }

    /// After how many steps the supervisor is to be asked, 0 for never: what the
    /// file says, else as usual where it has answers for him.
    pub fn supervisor_interval(&self) -> u64 {
        let answers_him = |entry: &Entry| entry.scene == Some(Scene::Supervisor);
        match self.file.supervisor_interval {
            Some(interval) => interval,
            None if self.file.answers.iter().any(answers_him) => {
                Config::DEFAULT_SUPERVISOR_INTERVAL
            }
            None => 0,
        }
    }

    /// The first answer that fits and was not used yet.
    pub fn answer(&mut self, question: &Question) -> Result<Answer, Unanswered> {
        let fits = |entry: &Entry| fits(entry, question);
        let answers = self.file.answers.iter().enumerate();
        let mut fitting = answers.filter(|(_, entry)| fits(entry));
        match fitting.clone().find(|(i, _)| !self.used[*i]) {
            Some((i, entry)) => {
                self.used[i] = true;
                Ok(entry.answer.clone())
            }
            None => {
                let used = fitting.next().map(|(_, entry)| entry);
                Err(paste::unanswered(&self.file.name, question, used))
            }
        }
    }

    /// The answers that nobody asked for: place and what they would answer.
    pub fn unused_shown(&self) -> Vec<String> {
        let AnswersFile { name, answers, .. } = &self.file;
        let unused = answers.iter().enumerate().filter(|(i, _)| !self.used[*i]);
        let shown = unused.map(|(i, entry)| {
            let Place { line, column } = entry.place;
            format!("answers[{i}] at {name}:{line}:{column} ({})", entry.shown())
        });
        shown.collect()
    }

    /// The file.
    pub fn file(&self) -> &AnswersFile {
        &self.file
    }
}

fn fits(entry: &Entry, question: &Question) -> bool {
    if entry.role.is_some() && entry.role != question.role {
        return false;
    }
    let kind = match &question.to {
        To::Program { name, .. } => entry.program.as_ref() == Some(name),
        To::Model { scene, result, .. } => {
            // The supervisor reads the task too, so patterns would find it there.
            let for_supervisor = entry.scene == Some(Scene::Supervisor);
            entry.program.is_none()
                && for_supervisor == question.is_supervisors()
                && (entry.scene.is_none() || entry.scene == *scene)
                && (result.is_some() || !matches!(entry.answer, Answer::Meta(_)))
        }
    };
    kind && entry.pattern.as_ref().is_none_or(|pattern| pattern.is_match(&question.text()))
}
