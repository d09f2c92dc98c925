/*
# GROUP BY ALL, as DuckDB has it: by whatever is selected and is not an aggregate.
title = "How long dialogues and utterances are"
caption = """\
Utterances per dialogue, and characters and words per utterance; words are split at white space. \
Dialogues without utterances are left out. The chart has 95 % intervals: 1.96 standard errors, \
clustered by dialogue."""
order = 20
chart = {kind = "bar", x = "corpus", y = ["utterances_mean", "words_mean"]}

[columns]
corpus = "corpus"
dialogues = "dialogues"
utterances_mean = {title = "utterances per dialogue, mean", digits = 2}
utterances_mean_low = {title = "from", digits = 2}
utterances_mean_high = {title = "to", digits = 2}
utterances_median = {title = "median", digits = 1}
characters_mean = {title = "characters per utterance, mean", digits = 2}
words_mean = {title = "words per utterance, mean", digits = 2}
words_mean_low = {title = "from", digits = 2}
words_mean_high = {title = "to", digits = 2}
*/
WITH talk AS (
    SELECT corpus, dialogue_id, count(*) AS utterances, sum(length(text)) AS characters,
           sum(len(regexp_extract_all(text, '\S+'))) AS words
    FROM events WHERE kind = 'utterance' GROUP BY ALL
), ratios AS (
    SELECT *, sum(words) OVER corpus / sum(utterances) OVER corpus AS words_mean
    FROM talk WINDOW corpus AS (PARTITION BY corpus)
), means AS (
    SELECT corpus, count(*) AS dialogues, avg(utterances) AS utterances_mean,
           1.96 * stddev_samp(utterances) / sqrt(count(*)) AS of_utterances,
           median(utterances) AS utterances_median,
           sum(characters) / sum(utterances) AS characters_mean, words_mean,
           1.96 * stddev_samp(words - words_mean * utterances) * sqrt(count(*))
               / sum(utterances) AS of_words
    FROM ratios GROUP BY corpus, words_mean
)
SELECT corpus, dialogues, utterances_mean,
       utterances_mean - of_utterances AS utterances_mean_low,
       utterances_mean + of_utterances AS utterances_mean_high,
       utterances_median, characters_mean,
       words_mean, words_mean - of_words AS words_mean_low,
       words_mean + of_words AS words_mean_high
FROM means ORDER BY corpus
