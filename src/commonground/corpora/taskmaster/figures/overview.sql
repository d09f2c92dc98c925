/*
title = "The corpus in numbers"
caption = """
Utterances as released, without merging consecutive ones by the same side; calls are API calls, spans \
labelled parts of the text with one label each, entity types the different labels; words are split \
at white space."""
order = 10

[columns]
measure = "what"
number = "number"
unit = "unit"

[[published]]
name = "dialogs"
measure = "dialogues"
value = 13215
source = "@readme_1"
why = "@imported"
corpus = "taskmaster1"

[[published]]
name = "dialogues, ConvLab-3"
measure = "dialogues"
value = 13175
source = "@convlab_1"
why = "@left_out"
corpus = "taskmaster1"

[[published]]
name = "utterances, ConvLab-3"
measure = "utterances"
value = 278885
source = "@convlab_1"
why = "@merged"
corpus = "taskmaster1"

[[published]]
name = "dialogues, ParlAI"
measure = "dialogues"
value = 13202
source = "facebookresearch/ParlAI@a29567f parlai/tasks/taskmaster/test, episodes of SystemTeacher"
why = "@imported"
corpus = "taskmaster1"

[[published]]
name = "dialogs"
measure = "dialogues"
value = 17289
source = "@readme_2"
why = "@imported"
corpus = "taskmaster2"

[[published]]
measure = "domains"
value = 7
source = "@readme_2"
why = "@imported"
corpus = "taskmaster2"

[[published]]
name = "dialogues, ConvLab-3"
measure = "dialogues"
value = 17303
source = "@convlab_2"
why = "@left_out"
corpus = "taskmaster2"

[[published]]
name = "utterances, ConvLab-3"
measure = "utterances"
value = 293117
source = "@convlab_2"
why = "@merged"
corpus = "taskmaster2"

[[published]]
name = "dialogues, ParlAI"
measure = "dialogues"
value = 17304
source = "facebookresearch/ParlAI@a29567f parlai/tasks/taskmaster2/test, episodes"
why = "@imported"
corpus = "taskmaster2"

[[published]]
name = "dialogs"
measure = "dialogues"
value = 23789
source = "@readme_3"
why = "ConvLab-3 counts 23,757 in the same files; only what was imported is counted."
corpus = "taskmaster3"

[[published]]
name = "dialogues, ConvLab-3"
measure = "dialogues"
value = 23757
source = "@convlab_3"
why = "@imported"
corpus = "taskmaster3"

[[published]]
name = "utterances, ConvLab-3"
measure = "utterances"
value = 477026
source = "@convlab_3"
why = "@merged"
corpus = "taskmaster3"

[[published]]
name = "dialogues, ParlAI"
measure = "dialogues"
value = 23757
source = "facebookresearch/ParlAI@a29567f parlai/tasks/taskmaster3/test, episodes of SystemTeacher"
why = "@imported"
corpus = "taskmaster3"

[[published]]
measure = "APIs"
value = 9
source = "@readme_3"
why = "@imported"
corpus = "taskmaster3"

[[published]]
name = "entities"
measure = "entity types"
value = 21
source = "@readme_3"
why = "@imported"
corpus = "taskmaster3"

[[published]]
name = "sets of instructions (over three dozen)"
measure = "texts of instructions"
value = 36
source = "@readme_3"
why = "@imported"
corpus = "taskmaster3"

[[published]]
name = "verticals (Movie Tickets)"
measure = "domains"
value = 1
source = "@readme_3"
why = "@imported"
corpus = "taskmaster3"

[[published]]
name = "dialogs"
measure = "dialogues"
value = 6500
source = "@readme_4"
why = "The eight data files that were released hold 3,710 dialogues."
corpus = "taskmaster4"

[[published]]
name = "sets of instructions (over three dozen)"
measure = "texts of instructions"
value = 36
source = "@readme_4"
why = "The released dialogues name 32 scenarios and hold 28 texts; some have no text."
corpus = "taskmaster4"

[[published]]
measure = "reward examples"
value = 3000
source = "@readme_4"
why = "The seven reward files that were released hold 3,228 examples."
corpus = "taskmaster4"
file_format = "reward4"
*/
-- One row of numbers is turned into a row for each: the lists are in the same order.
SELECT unnest(['dialogues', 'utterances', 'utterances per dialogue',
               'words per utterance', 'domains', 'scenarios', 'texts of instructions',
               'dialogues with instructions', 'APIs', 'calls', 'spans',
               'entity types', 'reward examples']) AS measure,
       unnest([dialogues, utterances, utterances / dialogues,
               words, domains, scenarios, instructions,
               100.0 * instructed / dialogues, apis, calls, spans,
               labels, rewards]) AS number,
       unnest(['', '', '', '', '', '', '', '%', '', '', '', '', '']) AS unit
FROM (SELECT count(*) AS dialogues, sum(n_utterances) AS utterances,
             count(DISTINCT domain) AS domains,
             count(DISTINCT attributes ->> 'scenario') AS scenarios,
             count(DISTINCT attributes ->> 'instructions') AS instructions,
             count(attributes ->> 'instructions') AS instructed
      FROM dialogues WHERE corpus = $corpus),
     (SELECT avg(len(regexp_extract_all(text, '\S+'))) AS words,
             count(DISTINCT name) AS apis, count(*) FILTER (kind = 'action') AS calls
      FROM events WHERE corpus = $corpus),
     (SELECT count(*) AS spans, count(DISTINCT label) AS labels
      FROM spans WHERE corpus = $corpus),
     (SELECT count(*) AS rewards
      FROM native WHERE corpus = $corpus AND format LIKE 'reward%')
