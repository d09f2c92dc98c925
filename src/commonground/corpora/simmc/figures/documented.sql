/*
title = "What the README says about the files"
caption = """
Shares of the splits in a domain's dialogues, and what dialogue files say about themselves; \
state graphs are in files with all annotations only."""
order = 40
corpora = ["simmc"]

[columns]
measure = "what"
number = "number"
unit = "unit"

[[published]]
measure = "share of furniture train"
value = 60
unit = "%"
tolerance = 0.5
source = "@readme"

[[published]]
measure = "share of furniture dev"
value = 10
unit = "%"
tolerance = 0.5
source = "@readme"

[[published]]
measure = "share of furniture devtest"
value = 15
unit = "%"
tolerance = 0.5
source = "@readme"

[[published]]
measure = "share of furniture teststd"
value = 15
unit = "%"
tolerance = 0.5
source = "@readme"

[[published]]
measure = "share of fashion train"
value = 60
unit = "%"
tolerance = 0.5
source = "@readme"

[[published]]
measure = "share of fashion dev"
value = 10
unit = "%"
tolerance = 0.5
source = "@readme"

[[published]]
measure = "share of fashion devtest"
value = 15
unit = "%"
tolerance = 0.5
source = "@readme"

[[published]]
measure = "share of fashion teststd"
value = 15
unit = "%"
tolerance = 0.5
source = "@readme"

[[published]]
measure = "domains"
value = 2
source = "@format"
why = "@no_file_at_hand"

[[published]]
name = "version of the files"
measure = "version, greatest"
value = 1.0
source = "@format"
why = "@no_file_at_hand"

[[published]]
name = "year of the files"
measure = "year, greatest"
value = 2020
source = "@format"
why = "@no_file_at_hand"

[[published]]
measure = "state graphs per turn"
value = 3
source = "@format"
why = "@no_file_at_hand"
*/
WITH shares AS (
    SELECT domain, split, count(*) AS dialogues,
           100.0 * count(*) / sum(count(*)) OVER (PARTITION BY domain) AS share
    FROM dialogues WHERE corpus = $corpus AND split IS NOT NULL GROUP BY domain, split
), files AS (
    -- What stands around the dialogues of a file is a record of its own, of the path $.
    SELECT CAST(json ->> 'version' AS DOUBLE) AS version,
           CAST(json ->> 'year' AS DOUBLE) AS year
    FROM native WHERE corpus = $corpus AND format = 'dials' AND source_path = '$'
), graphs AS (
    SELECT DISTINCT unnest(regexp_extract_all(json, '"(state_graph_\d+)"', 1)) AS graph
    FROM native WHERE corpus = $corpus AND format = 'dials'
)
SELECT 'share of ' || domain || ' ' || split AS measure, share AS number, '%' AS unit
FROM shares
UNION ALL SELECT 'domains', count(DISTINCT domain), '' FROM shares
UNION ALL SELECT 'version, least', min(version), '' FROM files
UNION ALL SELECT 'version, greatest', max(version), '' FROM files
UNION ALL SELECT 'year, least', min(year), '' FROM files
UNION ALL SELECT 'year, greatest', max(year), '' FROM files
-- Files without annotations do not say how many there are: that is null, and not 0.
UNION ALL SELECT 'state graphs per turn', nullif(count(*), 0), '' FROM graphs
ORDER BY measure
