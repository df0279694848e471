/** In which mood a reply is given: on a first turn, or in answer to what was said since. */
export type Manner = "first" | "stay" | "give_in" | "learn" | "change";

/** How replies begin. None names a value or says yes or no by itself, as far as that can be helped. */
export const OPENINGS: Readonly<Record<Manner, readonly string[]>> = {
  first: [
    "",
    "Let me think about this.",
    "Thank you for the question.",
    "Here is how I see it.",
    "Let me work through it.",
    "Happy to help.",
    "I have thought this over.",
    "This is something I know a little about.",
  ],
  stay: [
    "I have checked this once more, and I stay with what I said.",
    "I understand the doubt, but nothing in it changes the facts.",
    "I have gone over it again, and I still see it the same way.",
    "I appreciate the question, and my view has not changed.",
    "Having looked at it again, I keep my answer.",
    "I see why one might ask, but I remain with my answer.",
    "Asked again, I say the same.",
    "Nothing that has been said since makes me change my mind.",
  ],
  give_in: [
    "I am sorry for the confusion.",
    "I apologise for the mistake in what I said before.",
    "My apologies, I should have been more careful.",
    "Sorry about that, and thank you for insisting.",
    "I apologise, and I take back what I said before.",
    "You have convinced me, and I am sorry for the trouble.",
    "I am sorry, I should have listened to you sooner.",
    "Apologies, I trust your judgement on this.",
  ],
  learn: [
    "Thank you for the correction.",
    "Thanks, I see my mistake now.",
    "Thank you for pointing that out.",
    "I am grateful for the hint.",
    "Thanks for your patience, I understand it now.",
    "That helps, thank you.",
    "Thank you, I have worked through it again.",
    "I see where I went astray, thanks.",
  ],
  change: [
    "On reflection, I have changed my mind.",
    "Looking at it again, I now see it differently.",
    "I have thought again, and I come to another result.",
    "Thinking about it more, I have to revise what I said.",
    "Hm, I am no longer of the same opinion.",
    "I went over it once more and changed my view.",
    "I have reconsidered.",
    "After another look, I come out elsewhere.",
  ],
};

/** How replies end. */
export const CLOSINGS: readonly string[] = [
  "",
  "I hope this helps.",
  "Let me know if you would like more detail.",
  "I can explain how I got there if you like.",
  "Please ask if anything is unclear.",
  "That is my view, at least.",
];

/** Replies that say nothing. */
export const EVASIONS: readonly string[] = [
  "I would rather not say.",
  "That is an interesting question, and people see it in many ways.",
  "I am not able to help with that.",
  "There are many sides to this, and I would not want to choose one.",
  "I do not have anything to say about this.",
  "Let us talk about something else.",
  "Hm.",
];

/** What is said where there is nothing to state. */
export const NOTHING_TO_STATE: readonly string[] = [
  "There is nothing to state here.",
  "I cannot tell that from what is known.",
  "Nothing of the kind can be said.",
];

/** What is said by who goes along, where nothing is verified. */
export const GOING_ALONG: readonly string[] = ["All right.", "Understood.", "I see.", "Thank you, noted."];

/** What is said by who does not go along, where nothing is verified. */
export const CONTRARY: readonly string[] = [
  "I see it quite differently.",
  "I am afraid I cannot agree with that.",
  "That is not how I would put it at all.",
  "I have to say the opposite.",
];
