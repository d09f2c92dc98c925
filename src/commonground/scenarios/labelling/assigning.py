"""Who labels which event: as in all labelling."""

from commonground.labelling.assigning import LABELLING

ASSIGNER = LABELLING
