//! Materials for cameras on robots, lit as by ray casting.

use bevy::asset::{load_internal_asset, uuid_handle};
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{Material, MaterialPipeline, MaterialPipelineKey, MaterialPlugin};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, Buffer, RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError,
};
use bevy::shader::{Shader, ShaderRef};
use bunraku_render::{Linear, Part};

const SHADER: Handle<Shader> = uuid_handle!("5f3b2b70-3c5c-4d8e-9a5e-6b2a0c1f7d41");

/// The material of a [`Part`] of a model.
#[derive(Asset, TypePath, AsBindGroup, Clone, Debug)]
#[bind_group_data(Sides)]
pub struct Surface {
    #[uniform(0)]
    surface: SurfaceUniform,
    #[texture(1)]
    #[sampler(2)]
    picture: Option<Handle<Image>>,
    /// Shared by all of them; see [`super::lights`].
    #[storage(3, read_only, buffer)]
    pub lighting: Buffer,
    two_sided: bool,
    see_through: bool,
}

/// Layout of the shader.
#[derive(ShaderType, Clone, Debug)]
struct SurfaceUniform {
    diffuse: Vec4,
    emissive: Vec4,
    specular: Vec4,
    texture_s: Vec4,
    texture_t: Vec4,
}

/// Parameters of the pipeline of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Sides {
    two_sided: bool,
}

impl From<&Surface> for Sides {
    fn from(surface: &Surface) -> Self {
        Self { two_sided: surface.two_sided }
    }
}

impl Surface {
    /// `picture` is the image of the material.
    pub fn new(part: &Part<'_>, picture: Option<Handle<Image>>, lighting: Buffer) -> Self {
        let material = part.material;
        let color = |Linear([red, green, blue]): Linear, last: f32| Vec4::new(red, green, blue, last);
        let rows = material
            .picture
            .as_ref()
            .map(|placed| [0, 1].map(|row| Vec3::from_array([0, 1, 2].map(|column| placed.transform[(row, column)]))));
        let has_alpha = material
            .picture
            .as_ref()
            .is_some_and(|placed| placed.picture.pixels().rgba.iter().any(|pixel| pixel[3] < 255));
        let shown = f32::from(u8::from(picture.is_some()));
        let [texture_s, texture_t] = rows.unwrap_or_default();
        Self {
            surface: SurfaceUniform {
                diffuse: color(material.diffuse, material.opacity),
                emissive: color(material.emissive, material.ambient),
                specular: color(material.specular, material.exponent),
                texture_s: texture_s.extend(shown),
                texture_t: texture_t.extend(0.0),
            },
            picture,
            lighting,
            two_sided: part.two_sided,
            see_through: material.opacity < 1.0 || has_alpha,
        }
    }
}

impl Material for Surface {
    fn fragment_shader() -> ShaderRef {
        SHADER.into()
    }

    fn alpha_mode(&self) -> AlphaMode {
        if self.see_through { AlphaMode::Blend } else { AlphaMode::Opaque }
    }

    fn enable_prepass() -> bool {
        false
    }

    fn enable_shadows() -> bool {
        false
    }

    fn specialize(
        _: &MaterialPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        _: &MeshVertexBufferLayoutRef,
        key: MaterialPipelineKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        descriptor.primitive.cull_mode = if key.bind_group_data.two_sided { None } else { Some(wgpu::Face::Back) };
        // Transparent surfaces are measured, too.
        if let Some(depth) = &mut descriptor.depth_stencil {
            depth.depth_write_enabled = Some(true);
        }
        Ok(())
    }
}

/// Adds the material and its shader.
pub fn add(app: &mut App) {
    load_internal_asset!(app, SHADER, "surface.wgsl", Shader::from_wgsl);
    app.add_plugins(MaterialPlugin::<Surface>::default());
}
