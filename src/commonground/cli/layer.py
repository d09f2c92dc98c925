"""``commonground layer``: adds, lists and removes layers that a study of ours has labelled."""

from __future__ import annotations

from pathlib import Path

import click

from commonground.cli._options import (
    Form,
    form_options,
    plain,
    print_data,
    print_plain,
    print_rich,
    print_table,
    store_option,
    store_path,
)
from commonground.printing import count_of

SECTION = "data"


@click.group(short_help="Add layers of labels to imported corpora, list them, remove them.")
def command() -> None:
    """Add layers of labels to imported corpora, list them, remove them.

    A layer holds the labels that a labelling study gave to events of a corpus. Its rows are in the
    table `acts`, under the layer's name; released layers stay as they are.

    \b
    Example:
      commonground layer add OUT/labels/questions.json
      commonground sql "SELECT value, count(*) FROM acts WHERE layer = 'questions' GROUP BY 1"
    """


@command.command(short_help="Add the layer that is in a file of labels.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--corpus", help="Corpus of the labels in a CSV file without that column.")
@click.option("--layer", "name", help="Name of the layer, likewise.")
@click.option("--question", help="What was asked, likewise.")
@store_option
def add(
    files: tuple[Path, ...],
    corpus: str | None,
    name: str | None,
    question: str | None,
    store: Path | None,
) -> None:
    """Add the layers that are in FILES of labels, as `collect export` writes them, or in CSV.

    FILES are in the folder `labels` of an export. Those whose names end in `.csv` have a row for
    each vote, with the columns `dialogue_id`, `event` and `answer`, and, if you have them,
    `candidate` and `person`. A layer of the same name that was added before is replaced. What was
    imported stays as it is.

    \b
    Example:
      commonground layer add OUT/labels/questions.json
      commonground layer add tones.csv --corpus photobook --layer tones --question "Its tone?"
    """
    from commonground.errors import SourceError
    from commonground.store.label_files import read_labels
    from commonground.store.label_tables import read_label_table
    from commonground.store.layers import add_layer

    said = {"corpus": corpus, "layer": name, "question": question}

    for path in files:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise SourceError(f"{path}: {error.strerror}.") from error
        if path.suffix.lower() == ".csv":
            file = read_label_table(str(path), data, said)
        else:
            file = read_labels(str(path), data)
        made = add_layer(store_path(store), str(path), file)
        print_rich(
            f"Layer {made.name} of {made.corpus}: {count_of(made.labels, 'unit')}, "
            f"{made.decided:,} with a majority label."
        )


@command.command("list", short_help="List the layers that were added.")
@store_option
@form_options
def list_(store: Path | None, form: Form) -> None:
    """List the layers that were added, and how far people agree on each.

    alpha is Krippendorff's: 1 where all agree, 0 where they agree as often as by chance. Where
    nearly all labels are the same, chance alone agrees nearly always: alpha can be 0 although most
    pairs of labels are equal.

    \b
    Example:
      commonground layer list
    """
    from commonground.store.layers import list_layers
    from commonground.store.opening import open_store

    opened = open_store(store)
    layers = list_layers(opened.path, opened.manifests.values())
    names = ("corpus", "name", "labels", "decided", "aside")
    shares = ("alpha", "pairwise", "unanimous")
    rows = (
        [*(getattr(e, n) for n in names), *(e.agreement[n] for n in shares), e.question]
        for e in layers
    )
    if print_data(form, layers, (*names, *shares, "question"), rows):
        return
    if not layers:
        print_rich("No layer was added.")
        return
    figures = ("labels", "decided", "aside", "alpha", "pairs equal", "all agree")
    lines = []
    for each in layers:
        counts = f"{each.labels:,}", f"{each.decided:,}", f"{each.aside:,}"
        agreement = (each.agreement[name] for name in shares)
        written = ("–" if value is None else f"{value:.2f}" for value in agreement)
        lines.append((each.corpus, each.name, *counts, *written, plain(each.question)))
    print_table(("corpus", "layer", *figures, "question"), lines, figures)
    print_plain(
        "alpha (Krippendorff's): 1 is full agreement, 0 what chance would give. Where nearly all\n"
        "labels are the same, it can be 0 although most pairs of labels are equal.\n"
    )


@command.command(short_help="Print a layer as CSV.")
@click.argument("corpus")
@click.argument("name")
@store_option
def export(corpus: str, name: str, store: Path | None) -> None:
    """Print the layer NAME of CORPUS as CSV, a row for each vote.

    `commonground layer add` reads such a table again.

    \b
    Example:
      commonground layer export photobook questions > questions.csv
    """
    from commonground.store.label_tables import write_label_table
    from commonground.store.layers import read_layer

    click.echo(write_label_table(read_layer(store_path(store), corpus, name)), nl=False)


@command.command(short_help="Remove a layer that was added.")
@click.argument("corpus")
@click.argument("name")
@store_option
def remove(corpus: str, name: str, store: Path | None) -> None:
    """Remove the layer NAME from CORPUS; what was imported stays as it is.

    CORPUS and NAME are as `commonground layer list` prints them.

    \b
    Example:
      commonground layer remove frames questions
    """
    from commonground.store.layers import remove_layer

    remove_layer(store_path(store), corpus, name)
    print_rich(f"{corpus} has no layer {name} any more.")
