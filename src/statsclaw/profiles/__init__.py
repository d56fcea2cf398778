"""What is true of a language's packages: where things live, how they are built and checked, how they are written."""

from statsclaw.profiles.detect import Detection, detect_profile
from statsclaw.profiles.profile import (
    PROFILE_IDS,
    Command,
    Conventions,
    Marker,
    PathClass,
    PathRule,
    Profile,
    all_profiles,
    load_profile,
    with_overrides,
)

__all__ = [
    "PROFILE_IDS",
    "Command",
    "Conventions",
    "Detection",
    "Marker",
    "PathClass",
    "PathRule",
    "Profile",
    "all_profiles",
    "detect_profile",
    "load_profile",
    "with_overrides",
]
