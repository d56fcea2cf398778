{smcl}
{title:linefit_fitted}

{pstd}{cmd:linefit_fitted} does what the notes say.
