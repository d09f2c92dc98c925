/*
title = "Who talks"
caption = """\
Utterances and words by the role of the speaker. The mean has a 95 % interval: 1.96 standard \
errors, clustered by dialogue."""
order = 30
chart = {kind = "bar", x = "corpus", y = ["words_mean"], color = "role"}

[columns]
corpus = "corpus"
role = "role"
dialogues = "dialogues"
utterances = "utterances"
words_mean = {title = "words per utterance, mean", digits = 2}
words_mean_low = {title = "from", digits = 2}
words_mean_high = {title = "to", digits = 2}
share = {title = "share of the words", unit = "%", digits = 1}
*/
WITH said AS (
    SELECT e.corpus, s.role, dialogue_id, count(*) AS utterances,
           sum(len(regexp_extract_all(e.text, '\S+'))) AS words
    FROM events e JOIN speakers s USING (corpus, dialogue_id, speaker)
    WHERE e.kind = 'utterance' GROUP BY ALL
), ratios AS (
    SELECT *, sum(words) OVER role / sum(utterances) OVER role AS words_mean
    FROM said WINDOW role AS (PARTITION BY corpus, role)
), means AS (
    SELECT corpus, role, count(*) AS dialogues, sum(utterances) AS utterances,
           sum(words) AS words, words_mean,
           1.96 * stddev_samp(words - words_mean * utterances) * sqrt(count(*))
               / sum(utterances) AS reach
    FROM ratios GROUP BY corpus, role, words_mean
)
SELECT corpus, role, dialogues, utterances, words_mean,
       words_mean - reach AS words_mean_low, words_mean + reach AS words_mean_high,
       100.0 * words / sum(words) OVER (PARTITION BY corpus) AS share
FROM means ORDER BY corpus, role
