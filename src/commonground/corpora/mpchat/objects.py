"""MPChat's objects: images of posts, persona elements, and the sets of them that are ranked."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from commonground.corpora.mpchat.native import Epoch, Persona, Thread, image_file_name
from commonground.model import Object
from commonground.records import UNSET, UnsetType
from commonground.sources import safe_name

Shelf = Literal["dialog", "persona"]
"""The two folders that the authors' script saves images to."""


class Context(msgspec.Struct):
    """What the side files and the image folder say.

    Attributes:
        dialog_urls: web address of the image of each post; empty where the map is not given.
        persona_urls: web address of the image of each persona element, likewise.
        dialog_files: name of each image of a post that is at hand, and its path.
        persona_files: name of each image of a persona element that is at hand, and its path.
    """

    dialog_urls: dict[str, str] = {}
    persona_urls: dict[str, str] = {}
    dialog_files: dict[str, str] = {}
    persona_files: dict[str, str] = {}


def list_images(images: str | None, shelf: Shelf) -> dict[str, str]:
    """Lists the images of one kind: file name to path below the image folder.

    Looks into the folder ``dialog`` or ``persona``; where there is none, into the image folder
    itself. A folder that cannot be listed has no images.
    """
    if images is None:
        return {}
    folder = Path(images, shelf)
    prefix = f"{shelf}/" if folder.is_dir() else ""
    try:
        with os.scandir(folder if prefix else images) as entries:
            names = [safe_name(each.name) for each in entries if not each.is_dir()]
            return {name: prefix + name for name in names}
    except OSError:
        return {}


def post_object_id(post_id: str) -> str:
    """Returns the object id of a post's image.

    It is not the bare id of the post: the same post may be somebody's persona element too.
    """
    return f"post-{post_id}"


def post_object(thread: Thread, context: Context) -> Object:
    """Describes the image of a thread's post."""
    url, file_name = thread.direct_url or None, thread.file_name or None
    attributes = {
        "subreddit": thread.subreddit,
        "author": thread.authors[0],
        "direct_url": url,
        "file_name": file_name,
    }
    return Object(
        post_object_id(thread.message_ids[0]),
        "post_image",
        thread.messages[0],
        context.dialog_files.get(file_name or "", url),
        {name: value for name, value in attributes.items() if value is not None},
    )


def persona_object(persona: Persona, context: Context) -> Object:
    """Describes a persona element; what the file does not say is left out of the attributes."""
    one, other = _whole(persona.created_utcs), _whole(persona.created_utc)
    created = other if one is UNSET else one
    attributes = {
        "author": persona.author,
        "subreddit": persona.subreddit,
        "score": persona.score,
        "created_utc": created,
        "other_created_utc": UNSET if other in (UNSET, created) else other,
        "url": persona.url,
        "direct_url": persona.direct_url,
        "permalink": persona.permalink,
        "file_name": persona.file_name,
    }
    return Object(
        persona.id,
        "persona",
        persona.title,
        context.persona_files.get(persona.file_name) or persona.direct_url or None,
        {name: value for name, value in attributes.items() if value is not UNSET},
    )


def _whole(created: Epoch | UnsetType) -> Epoch | UnsetType:
    """Makes whole seconds a whole number: the same element is written ``5.0`` here, ``5`` there."""
    if isinstance(created, float) and math.isfinite(created) and created.is_integer():
        return int(created)
    return created


def persona_set_id(personas: Sequence[Persona]) -> str:
    """Returns the object id of a set of persona elements: their ids, in order."""
    return "set-" + "+".join(persona.id for persona in personas)


def persona_set(personas: Sequence[Persona]) -> Object:
    """Describes the persona elements by which one author is known in speaker identification.

    The title is what the authors' loaders make of them: the titles with a blank between.
    """
    return Object(
        persona_set_id(personas),
        "persona_set",
        " ".join(persona.title for persona in personas),
        None,
        {
            "author": personas[0].author if personas else None,
            "personas": [persona.id for persona in personas],
        },
    )


def mapped_object(native_id: str, url: str, shelf: Shelf, context: Context) -> Object:
    """Describes an image of which only a map of addresses is known."""
    files = context.dialog_files if shelf == "dialog" else context.persona_files
    uri = files.get(image_file_name(native_id, url), url)
    if shelf == "dialog":
        return Object(post_object_id(native_id), "post_image", None, uri, {"direct_url": url})
    return Object(native_id, "persona", None, uri, {"direct_url": url})
