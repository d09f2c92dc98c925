/*
title = "Offers with a package"
caption = """
Acts that create a frame (offers, and some suggestions), and those whose slots fit exactly one \
package found before. The share has a 95 % interval: 1.96 standard errors, \
clustered by dialogue."""
order = 170
chart = {kind = "bar", x = "act", y = ["share"]}
row_dialogues = ["act"]

[columns]
act = "act"
dialogues = "dialogues"
acts = "acts that create a frame"
matched = "with one package"
share = {title = "share", unit = "%", digits = 2}
share_low = {title = "from", unit = "%", digits = 2}
share_high = {title = "to", unit = "%", digits = 2}
*/
WITH row_dialogues AS (
    SELECT label AS act, dialogue_id FROM groundings
    WHERE corpus = $corpus AND relation = 'offered'
), made AS (
    SELECT act, dialogue_id, count(*) AS n FROM acts
    WHERE corpus = $corpus AND layer = 'acts' AND relation = 'id' GROUP BY ALL
), matches AS (
    SELECT act, dialogue_id, count(*) AS k FROM row_dialogues GROUP BY ALL
), counts AS (
    SELECT act, n, coalesce(k, 0) AS k FROM made LEFT JOIN matches USING (act, dialogue_id)
), ratios AS (
    SELECT *, 100.0 * sum(k) OVER act / sum(n) OVER act AS share
    FROM counts WINDOW act AS (PARTITION BY act)
), means AS (
    SELECT act, count(*) AS dialogues, sum(n) AS acts, sum(k) AS matched, share,
           1.96 * stddev_samp(100.0 * k - share * n) * sqrt(count(*)) / sum(n) AS reach
    FROM ratios GROUP BY act, share
)
SELECT act, dialogues, acts, matched,
       share, share - reach AS share_low, share + reach AS share_high
FROM means ORDER BY acts DESC, act
