"""Resources that clouds provision: a table of types for Terraform, Pulumi and CloudFormation."""
