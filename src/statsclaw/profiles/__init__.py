"""What is true of a language's packages: where things live, how they are built and checked, how they are written."""

from statsclaw.profiles.detect import Detection, detect_profile
from statsclaw.profiles.profile import (
    Command,
    Conventions,
    Marker,
    Package,
    PathClass,
    PathRule,
    Profile,
    Program,
    add_languages,
    all_profiles,
    language_folders,
    load_profile,
    profile_ids,
    with_overrides,
)

__all__ = [
    "Command",
    "Conventions",
    "Detection",
    "Marker",
    "Package",
    "PathClass",
    "PathRule",
    "Profile",
    "Program",
    "add_languages",
    "all_profiles",
    "detect_profile",
    "language_folders",
    "load_profile",
    "profile_ids",
    "with_overrides",
]
