"""Who labels which event: as in all labelling."""

from commonground.play.labelling.assigning import LABELLING

ASSIGNER = LABELLING
