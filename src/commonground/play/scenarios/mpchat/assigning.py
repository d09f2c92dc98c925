"""Who labels which response: as in all labelling."""

from commonground.play.labelling.assigning import LABELLING

ASSIGNER = LABELLING
