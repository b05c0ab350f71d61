"""``kcheck upgrade``: see walk.py."""

from kcheck.upgrade.walk import Refused, Upgraded, Way, upgrade_project

__all__ = ["Refused", "Upgraded", "Way", "upgrade_project"]
